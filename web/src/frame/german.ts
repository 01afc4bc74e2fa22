// The frame of the page in German. The key is the English text.
export const german: Readonly<Record<string, string>> = {
    'Reading the map': 'Die Karte wird gelesen',
};
