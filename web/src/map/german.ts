// The map in German. The key is the English text.
export const german: Readonly<Record<string, string>> = {
    Farther: 'Weiter weg',
    'Find a street': 'Straße suchen',
    'Find a street or a place': 'Straße oder Ort suchen',
    Nearer: 'Näher',
    'Nothing found': 'Nichts gefunden',
    'The data received are not a map. Load the page again.':
        'Was empfangen wurde, ist keine Karte. Laden Sie die Seite neu.',
    'The map has no coordinates, so it cannot be drawn. The service answers queries all the same; to see them here, import the map with its coordinates.':
        'Die Karte hat keine Koordinaten und kann daher nicht gezeichnet werden. Der Dienst beantwortet Anfragen trotzdem; um sie hier zu sehen, importieren Sie die Karte mit ihren Koordinaten.',
    'The map has version {version}, but this page reads {known}. Load the page again.':
        'Die Karte hat Version {version}, diese Seite liest aber {known}. Laden Sie die Seite neu.',
    'The map is damaged ({where}). Load the page again.':
        'Die Karte ist beschädigt ({where}). Laden Sie die Seite neu.',
    'The map shows {name}': 'Die Karte zeigt {name}',
    'The whole map': 'Die ganze Karte',
    'There are no roads on the map.': 'Auf der Karte sind keine Straßen.',
    'Two fingers move the map': 'Zwei Finger bewegen die Karte',
    Zoom: 'Zoom',
    'a number': 'eine Zahl',
    all: 'alles',
    'its checksum': 'ihre Prüfsumme',
    'its counts': 'ihre Anzahlen',
    'its end': 'ihr Ende',
    'its header': 'ihr Kopf',
    'its junctions': 'ihre Kreuzungen',
    map: 'Karte',
    'road {number}': 'Straße {number}',
    street: 'Straße',
    'the ends of its roads': 'die Enden ihrer Straßen',
    'the lengths of its roads': 'die Längen ihrer Straßen',
    'the names of its roads': 'die Namen ihrer Straßen',
    'the positions of its junctions': 'die Lage ihrer Kreuzungen',
    'the positions of its roads': 'die Lage ihrer Straßen',
    '{count} found': '{count} gefunden',
    '{count} units': '{count} Einheiten',
    '{road}, one-way': '{road}, Einbahnstraße',
    '{some} of {all} bytes of the map arrived. Load the page again.':
        '{some} von {all} Bytes der Karte kamen an. Laden Sie die Seite neu.',
};
