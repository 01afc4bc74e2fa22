// The controls of a recorded run in German. The key is the English text.
export const german: Readonly<Record<string, string>> = {
    'Attack a cloak': 'Eine Tarnung angreifen',
    "Choose a cloak on the provider's map, or from the list, to see what is known of it and to save it.":
        'Wählen Sie eine Tarnung auf der Karte des Anbieters oder aus der Liste, um zu sehen, was man von ihr weiß, und um sie zu speichern.',
    'List of the cloaks': 'Liste der Tarnungen',
    Pause: 'Pause',
    'Pause it, let it run faster or slower, or go to another moment: with the bar above the maps.':
        'Halten Sie sie an, lassen Sie sie schneller oder langsamer laufen oder gehen Sie zu einem anderen Zeitpunkt: mit der Leiste über den Karten.',
    Play: 'Abspielen',
    'Recorded run': 'Aufgezeichneter Lauf',
    'See in the charts how many were answered, and how long they waited.':
        'Sehen Sie in den Diagrammen, wie viele eine Antwort bekamen und wie lange sie warteten.',
    'See what an adversary would make of it.':
        'Sehen Sie, was ein Angreifer daraus schließen würde.',
    Speed: 'Tempo',
    'This run was recorded, and its travellers asked their questions then. A question of today would find no company, so none can be asked here.':
        'Dies ist eine Aufzeichnung; ihre Reisenden haben damals gefragt. Eine Frage von heute fände keine Gesellschaft, deshalb kann hier keine gestellt werden.',
    'Time of the record': 'Zeit der Aufzeichnung',
    'To ask a question yourself, start a demo with travellers: starcloak demo MAP.scm':
        'Um selbst zu fragen, starten Sie eine Demo mit Reisenden: starcloak demo KARTE.scm',
    'What you can do': 'Was Sie tun können',
    '{now} of {whole}': '{now} von {whole}',
};
