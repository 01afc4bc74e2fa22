// The list of cloaks in German. The key is the English text.
export const german: Readonly<Record<string, string>> = {
    'Choose one to find it on the map and to see what an adversary learns from it. The list does not change while you are in it.':
        'Wählen Sie eine, um sie auf der Karte zu finden und zu sehen, was ein Angreifer aus ihr erfährt. Die Liste ändert sich nicht, solange Sie in ihr sind.',
    'Choose one to find it on the map. The list does not change while you are in it.':
        'Wählen Sie eine, um sie auf der Karte zu finden. Die Liste ändert sich nicht, solange Sie in ihr sind.',
    'No cloak has left yet.': 'Noch wurde keine Tarnung abgeschickt.',
    '{count} cloak left before this page was opened. Those that leave from now on are listed here.':
        '{count} Tarnung wurde abgeschickt, bevor diese Seite geöffnet war. Hier stehen die, die ab jetzt abgeschickt werden.',
    '{count} cloaks left before this page was opened. Those that leave from now on are listed here.':
        '{count} Tarnungen wurden abgeschickt, bevor diese Seite geöffnet war. Hier stehen die, die ab jetzt abgeschickt werden.',
    '{wish}, and {count} more': '{wish}, und {count} weitere',
};
