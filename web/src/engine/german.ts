// The engine and the names of methods in German. The key is the English text.
export const german: Readonly<Record<string, string>> = {
    'Change the engine and watch the charts for a minute: the differences are small but visible. Queries that wait keep waiting.':
        'Wechseln Sie die Engine und beobachten Sie eine Minute lang die Diagramme: Die Unterschiede sind klein, aber sichtbar. Wartende Anfragen warten weiter.',
    'Close by first, farther off when time gets short: cloaks about as small, and about as many answered as with basic, after a longer wait.':
        'Zuerst in der Nähe, weiter weg, wenn die Zeit knapp wird: etwa so kleine Tarnungen und etwa so viele Antworten wie mit Basic, nach längerem Warten.',
    'Draws roads around one traveller at random until enough others are on them.':
        'Zieht zufällig Straßen um eine Person, bis genug andere darauf sind.',
    'Grows a cloak from star to star around one crossing, with all who wait on its roads.':
        'Lässt eine Tarnung um eine Kreuzung von Stern zu Stern wachsen, mit allen, die auf ihren Straßen warten.',
    'How company is looked for': 'Wie Gesellschaft gesucht wird',
    'It cannot be exchanged while queries wait. A demo that is started with --engine basic, bounded or hybrid lets you choose among these three here.':
        'Sie kann nicht gewechselt werden, während Anfragen warten. Eine Demo, die mit --engine basic, bounded oder hybrid gestartet wurde, lässt Sie hier zwischen diesen dreien wählen.',
    'It has made the record that is shown.': 'Damit wurde die gezeigte Aufzeichnung gemacht.',
    // It may be parted there, in a narrow column.
    'Network expansion': 'Netz\u00adexpansion',
    'Random sampling': 'Zufallsauswahl',
    'Takes company close by only: cloaks are a little smaller and have fewer ways out; the wait is longer, and a few more travellers get no answer.':
        'Nimmt nur Gesellschaft in der Nähe: Die Tarnungen sind etwas kleiner und haben weniger Ausgänge; das Warten dauert länger, und einige Reisende mehr bleiben ohne Antwort.',
    'Takes company wherever it is allowed: the shortest wait, and cloaks that are a little larger.':
        'Nimmt Gesellschaft, wo immer es erlaubt ist: das kürzeste Warten und etwas größere Tarnungen.',
    'Takes the nearest roads around one traveller until enough others are on them.':
        'Nimmt die nächsten Straßen um eine Person, bis genug andere darauf sind.',
    'Waits at both ends of a road for a crowd to choose from, and looks for the most urgent first: more are answered, after about the same wait.':
        'Wartet an beiden Enden einer Straße auf eine Auswahl an Gesellschaft und sucht zuerst für die dringendste Anfrage: mehr Antworten nach etwa gleich langem Warten.',
    '{engine} from now on.': 'Ab jetzt {engine}.',
    '{method} is running, with the engine {engine}.': '{method} läuft, mit der Engine {engine}.',
    '{method} is running.': '{method} läuft.',
};
