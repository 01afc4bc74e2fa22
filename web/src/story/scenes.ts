// What the story says, scene by scene, in words.
import type { Answered, Dropped, Question } from '../ask/ask_phases';
import type { Company } from '../ask/company';
import { type RoadMap, roadName } from '../map/road_map';
import type { SeenCloak } from '../state/model';
import { t, tn } from '../text/language';
import { counted, distance, duration, percent, seconds } from '../text/measures';
import { categoryWords, count, type LengthUnit } from '../text/words';
import type { Scene } from './player';

type Words = Pick<Scene, 'title' | 'text' | 'holds'>;

/** It stays as long as its text takes to read, at 26 letters a second, and a moment to look at the map. */
function scene(title: string, text: string): Words {
    return { title, text, holds: 1200 + 1000 * (text.length / 26) };
}

export function citySays(): Words {
    return scene(
        t('A city full of travellers'),
        t(
            'Each dot is a traveller, each ring a question that waits. The other map shows all that the provider sees.',
        ),
    );
}

export function youAsk(map: RoadMap, { spot, request }: Question): Words {
    const [category] = request.categories ?? [];
    return scene(
        t('You ask'),
        t(
            'Say you are here, on {road}, and look for something nearby: {what}. The provider should not learn where you are.',
            {
                road: roadName(map, spot.segment),
                what: category === undefined ? t('any place') : categoryWords(category),
            },
        ),
    );
}

export function whoFits({ fitting }: Pick<Company, 'fitting'>, { profile }: Question): Words {
    const others = tn(
        fitting.length,
        '{count} other waits nearby and fits.',
        '{count} others wait nearby and fit.',
        count(fitting.length),
    );
    return scene(
        t('It waits for company'),
        `${others} ${t(
            'You want to be one of at least {travellers}, on at least {roads}: so your question waits, for {time} at most.',
            {
                travellers: counted(profile.k, 'traveller'),
                roads: counted(profile.l, 'road'),
                time: seconds(profile.max_wait_s),
            },
        )}`,
    );
}

export function noCompany({ wait_s }: Pick<Dropped, 'wait_s'>, isLast: boolean): Words {
    const text = t(
        'No company came within {time}, so nothing was sent: better no answer than an exposed one.',
        {
            time: seconds(wait_s),
        },
    );
    const more = isLast
        ? t('Ask again when more travellers are on the road.')
        : t('Another try, where more are on their way.');
    return scene(t('No company this time'), `${text} ${more}`);
}

export function cloakForms({ cloak, wait_s }: Answered): Words {
    return scene(
        t('A cloak forms'),
        t(
            'After {time} {travellers}, you among them, became one cloak of {roads}. The lines lead to those who are in it with you: each of you may be on any of these roads.',
            {
                time: seconds(wait_s),
                travellers: counted(cloak.users, 'traveller'),
                roads: counted(cloak.segments, 'road'),
            },
        ),
    );
}

export function whatLeaves(cloak: SeenCloak | undefined, roads: number): Words {
    const bytes = cloak?.sent?.bytes;
    const what = bytes
        ? t('{bytes} go to the provider: {start} ... They name {roads} and what is looked for.', {
              bytes: counted(bytes.length, 'byte'),
              start: hexStart(bytes),
              roads: counted(roads, 'road'),
          })
        : t('The provider is told {roads} and what is looked for.', {
              roads: counted(roads, 'road'),
          });
    return scene(
        t('This is what leaves'),
        `${what} ${t('Not who asks, not how many, not from which road.')}`,
    );
}

const HEX_SHOWN = 8;

function hexStart(bytes: Uint8Array): string {
    const shown = [...bytes.subarray(0, HEX_SHOWN)];
    return shown.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
}

export function whatComesBack({ objects }: Answered, unit: LengthUnit): Words {
    const [nearest] = objects;
    const exact = nearest
        ? t('StarCloak keeps what is yours: {name}, {distance} away. The answer is exact.', {
              name: nearest.name || categoryWords(nearest.category),
              distance:
                  nearest.duration_s === undefined
                      ? distance(nearest.distance_m, unit)
                      : `${distance(nearest.distance_m, unit)}, ${duration(nearest.duration_s)}`,
          })
        : t('There is no such place on the map: that, too, is an exact answer.');
    return scene(
        t('This is what comes back'),
        `${t('The provider cannot know which road counts, so it answers for all of them.')} ${exact}`,
    );
}

/**
 * @param chance  that the adversary gives to your road
 * @param most    that it gives to the road it suspects most
 */
export function whatAnAdversaryLearns(chance: number, most: number, roads: number): Words {
    const about = t(
        'An adversary who sees the cloak, knows the method and all that was asked picks your road with a chance of {chance}. Blindly, one of {roads} is right with {guess}.',
        {
            chance: percent(chance),
            roads: counted(roads, 'road'),
            guess: percent(1 / roads),
        },
    );
    const top =
        chance >= most
            ? t('It takes no other road for likelier.')
            : t('The road that it takes for likeliest, with {most}, is not yours.', {
                  most: percent(most),
              });
    return scene(t('What an adversary makes of it'), `${about} ${top}`);
}

export function yourTurn(): Words {
    return scene(
        t('Now you'),
        t(
            "Click a road on the travellers' map and ask, or choose a cloak on the provider's map and attack it.",
        ),
    );
}

export function somethingWrong(): Words {
    return scene(
        t('The service did not take the question'),
        t('The panel beside the maps says why. You may try again at any time.'),
    );
}
