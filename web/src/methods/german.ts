// Methods side by side in German. The key is the English text.
export const german: Readonly<Record<string, string>> = {
    "Adversary's chance": 'Trefferchance des Angreifers',
    "adversary's chance": 'Trefferchance des Angreifers',
    'Cloaks attacked': 'Angegriffene Tarnungen',
    'Cloaks come at once; how many succeed is known after some ten seconds.':
        'Tarnungen kommen sofort; wie viele Anfragen eine bekommen, zeigt sich nach etwa zehn Sekunden.',
    'Get a cloak': 'Bekommen eine Tarnung',
    'Map of what the provider would see': 'Karte dessen, was der Anbieter sähe',
    'Methods compared': 'Verfahren im Vergleich',
    Methods: 'Verfahren',
    'Methods side by side': 'Verfahren im Vergleich',
    'Of the last {seconds} s. A question is judged when its deadline has passed. The chance is what an adversary who knows the method gives to the true road of a traveller, on average over a sample of cloaks, once there are ten.':
        'Über die letzten {seconds} s. Eine Anfrage zählt, sobald ihre Frist vorbei ist. Die Trefferchance ist die Wahrscheinlichkeit, die ein Angreifer, der das Verfahren kennt, der wahren Straße einer Person gibt, im Mittel über eine Stichprobe von Tarnungen, sobald es zehn sind.',
    'Questions judged': 'Gezählte Anfragen',
    'Roads per cloak': 'Straßen je Tarnung',
    'StarCloak searches with its engine {engine} here.':
        'StarCloak sucht hier mit seiner Engine {engine}.',
    'The same questions at the same moments, cloaked by three methods beside the service. Nothing of it leaves: the maps show what a provider would see.':
        'Dieselben Anfragen zu denselben Zeitpunkten, von drei Verfahren neben dem Dienst getarnt. Nichts davon wird abgeschickt: Die Karten zeigen, was ein Anbieter sähe.',
    'The service itself runs {method}.': 'Der Dienst selbst verwendet {method}.',
    'The three engines are starting ...': 'Die drei Verfahren werden gestartet ...',
    'This demo does not compare methods.': 'Diese Demo vergleicht keine Verfahren.',
    'Travellers per cloak': 'Reisende je Tarnung',
    'Wait for a cloak': 'Warten auf eine Tarnung',
    'Waiting now': 'Warten gerade',
    'Ways out of a cloak': 'Ausgänge einer Tarnung',
    'get a cloak': 'bekommen eine Tarnung',
    'roads per cloak': 'Straßen je Tarnung',
    '{count} question was given to no method, since this machine could not keep up.':
        '{count} Anfrage ging an kein Verfahren, weil dieser Rechner nicht mitkam.',
    '{count} questions were given to no method, since this machine could not keep up.':
        '{count} Anfragen gingen an kein Verfahren, weil dieser Rechner nicht mitkam.',
    '{method}: {count} cloak broke a promise. This is a bug; please report it.':
        '{method}: {count} Tarnung hat ein Versprechen gebrochen. Das ist ein Fehler; bitte melden Sie ihn.',
    '{method}: {count} cloaks broke a promise. This is a bug; please report it.':
        '{method}: {count} Tarnungen haben ein Versprechen gebrochen. Das ist ein Fehler; bitte melden Sie ihn.',
};
