// The controls of a recorded run in German. The key is the English text.
export const german: Readonly<Record<string, string>> = {
    Pause: 'Pause',
    Play: 'Abspielen',
    'Recorded run': 'Aufgezeichneter Lauf',
    Speed: 'Tempo',
    'Time of the record': 'Zeit der Aufzeichnung',
    '{now} of {whole}': '{now} von {whole}',
};
