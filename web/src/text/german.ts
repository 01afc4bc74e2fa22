// All German texts of the page, from the folders that they belong to. The key is the English text.
import { german as api } from '../api/german';
import { german as ask } from '../ask/german';
import { german as attack } from '../attack/german';
import { german as charts } from '../charts/german';
import { german as cloaks } from '../cloaks/german';
import { german as cluster } from '../cluster/german';
import { german as engine } from '../engine/german';
import { german as frame } from '../frame/german';
import { german as status } from '../frame/german_status';
import { german as map } from '../map/german';
import { german as methods } from '../methods/german';
import { german as replay } from '../replay/german';
import { german as story } from '../story/german';
import { german as words } from './german_words';

const dictionaries: readonly Readonly<Record<string, string>>[] = [
    api,
    ask,
    attack,
    charts,
    cloaks,
    cluster,
    engine,
    frame,
    map,
    methods,
    replay,
    status,
    story,
    words,
];

export const german: ReadonlyMap<string, string> = new Map(
    dictionaries.flatMap((dictionary) => Object.entries(dictionary)),
);
