// The frame of the page in German. The key is the English text.
export const german: Readonly<Record<string, string>> = {
    '(opens in a new tab)': '(öffnet sich in einem neuen Tab)',
    'A recorded run': 'Ein aufgezeichneter Lauf',
    'A traveller asks.': 'Jemand fragt.',
    Ask: 'Fragen',
    'Ask it yourself': 'Selbst fragen',
    Attack: 'Angriff',
    'Attack it': 'Angreifen',
    Auto: 'System',
    Charts: 'Diagramme',
    'Cloak of {roads}, {age}': 'Tarnung aus {roads}, {age}',
    'Cloak {id}': 'Tarnung {id}',
    Cloaks: 'Tarnungen',
    Cluster: 'Cluster',
    Copied: 'Kopiert',
    'Copy link': 'Teilen',
    Dark: 'Dunkel',
    Engine: 'Engine',
    'For the nearest café, say. Neither this page nor the provider learns on which road.':
        'Zum Beispiel nach dem nächsten Café. Weder diese Seite noch der Anbieter erfährt, auf welcher Straße.',
    'For the nearest café, say. The provider does not learn on which road.':
        'Zum Beispiel nach dem nächsten Café. Der Anbieter erfährt nicht, auf welcher Straße.',
    'Got it': 'Verstanden',
    'It finds company.': 'Die Frage findet Gesellschaft.',
    Language: 'Sprache',
    'Let go': 'Loslassen',
    'Let go of the cloak (Escape): none is chosen then':
        'Die Tarnung loslassen (Escape): Dann ist keine gewählt',
    Light: 'Hell',
    'Map of what the provider sees': 'Karte dessen, was der Anbieter sieht',
    'Map of what travellers do': 'Karte dessen, was Reisende tun',
    'Not copied': 'Misslungen',
    'One traveller is in it: this demo knows that, the provider is not told.':
        'Ein Reisender ist darin: Das weiß diese Demo, der Anbieter erfährt es nicht.',
    Provider: 'Anbieter',
    'Reading the map': 'Die Karte wird gelesen',
    Report: 'Bericht',
    'Save it as a picture': 'Als Bild sichern',
    'Save its roads for map programs': 'Straßen für Kartenprogramme sichern',
    Show: 'Zeigen',
    Signs: 'Zeichen',
    'Skip to the maps': 'Zu den Karten springen',
    'StarCloak {version}, map {checksum}': 'StarCloak {version}, Karte {checksum}',
    'Its map is below. It answers for all roads of the cloak, and StarCloak picks the exact answer for each traveller.':
        'Seine Karte ist unten. Er antwortet für alle Straßen der Tarnung, und StarCloak wählt daraus für alle die genaue Antwort.',
    'The address of this page with this cloak and what is seen, for somebody else':
        'Die Adresse dieser Seite mit dieser Tarnung und dem Ausschnitt kopieren, für jemand anderen',
    'The chosen cloak': 'Die gewählte Tarnung',
    'The cluster': 'Der Cluster',
    'The connection closed before the whole map arrived.':
        'Die Verbindung brach ab, bevor die ganze Karte da war.',
    'The engine': 'Die Engine',
    'The latest cloaks': 'Die neuesten Tarnungen',
    'The provider sees roads that many share: never who asks, never from where.':
        'Der Anbieter erfährt nur Straßen, die viele teilen: nie, wer fragt, nie, von wo.',
    'The provider sees only the cloak.': 'Der Anbieter sieht nur die Tarnung.',
    'The service does not offer the map in the format that this page reads; it may be another version. Load the page again.':
        'Der Dienst bietet die Karte nicht in dem Format an, das diese Seite liest; vielleicht hat er eine andere Version. Laden Sie die Seite neu.',
    Theme: 'Farben',
    Token: 'Token',
    Travellers: 'Reisende',
    'Try it': 'Ausprobieren',
    'What am I looking at?': 'Was sehe ich hier?',
    'What an adversary learns': 'Was ein Angreifer erfährt',
    'What is this': 'Was ist das',
    'What is this?': 'Was ist das?',
    'What the provider sees': 'Was der Anbieter sieht',
    'What to do': 'Was Sie tun können',
    'What travellers do': 'Was Reisende tun',
    'Which map': 'Welche Karte',
    'With enough others nearby it is hidden in a cloak: a set of roads, and each of them may be on any.':
        'Mit genug anderen in der Nähe verbirgt sie sich in einer Tarnung: einer Menge von Straßen, und alle können auf jeder davon sein.',
    'a one-way road; seen from near': 'eine Einbahnstraße; nur von Nahem',
    'a ring that opens: answered': 'ein Ring, der sich öffnet: beantwortet',
    'a traveller on its way; from afar not all are drawn':
        'jemand unterwegs; von Weitem sind nicht alle eingezeichnet',
    'asks, and has more than half of its time left': 'fragt und hat noch mehr als die halbe Zeit',
    'cloaks as they leave: not who, not from where.': 'Tarnungen: nicht wer, nicht woher.',
    'less than a fifth left': 'weniger als ein Fünftel übrig',
    'less than half of its time left': 'weniger als die halbe Zeit übrig',
    'no cloak in time: nothing was sent': 'keine Tarnung in der Zeit: nichts wurde gesendet',
    'the roads of a cloak, each in a colour of its own; it fades after it has left':
        'die Straßen einer Tarnung, jede Tarnung in einer eigenen Farbe; sie verblasst, nachdem sie hinausging',
    'the selected cloak, and its crossings that lead out':
        'die gewählte Tarnung und die Kreuzungen, an denen es hinausgeht',
    'those who ask, and the time left.': 'wer fragt, und die Zeit, die bleibt.',
    travellers: 'Reisende',
    'who is hidden with you, where it asked': 'wer mit Ihnen verborgen ist, dort, wo er fragte',
    'you, on your road, and the roads that your cloak may reach':
        'Sie auf Ihrer Straße, und die Straßen, bis zu denen Ihre Tarnung reichen darf',
    'your answer: 1 is the nearest; beyond fifty, dots':
        'Ihre Antwort: 1 ist am nächsten; ab fünfzig Punkte',
    'your own cloak': 'Ihre eigene Tarnung',
    '{count} travellers are in it: this demo knows that, the provider is not told.':
        '{count} Reisende sind darin: Das weiß diese Demo, der Anbieter erfährt es nicht.',
    '{reason} Trying again.': '{reason} Neuer Versuch.',
};
