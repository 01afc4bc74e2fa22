// The page's colours for canvases, which do not see style sheets.
//
// Colours are custom properties (map.css, frame/tokens.css). Looking one up costs more than drawing a
// traveller, so all are read together, kept, and read again when the theme is another.

const PROPERTIES = {
    motorway: '--map-road-motorway',
    primary: '--map-road-primary',
    secondary: '--map-road-secondary',
    tertiary: '--map-road-tertiary',
    local: '--map-road-local',
    service: '--map-road-service',
    inside: '--map-inside',
    insideMajor: '--map-inside-major',
    oneWay: '--map-one-way',
    name: '--map-name',
    ground: '--map-ground',
    mover: '--map-mover',
    calm: '--map-calm',
    waiting: '--map-waiting',
    urgent: '--map-urgent',
    answer: '--map-answer',
    cloak: '--map-cloak',
    cloak2: '--map-cloak-2',
    cloak3: '--map-cloak-3',
    cloak4: '--map-cloak-4',
    cloak5: '--map-cloak-5',
    selected: '--map-selected',
} as const;

export type MapTheme = Readonly<Record<keyof typeof PROPERTIES, string>>;

let kept: MapTheme | null = null;
const listeners = new Set<() => void>();

/** The colours in force. The same object as long as they are. */
export function mapTheme(): MapTheme {
    if (!kept) {
        const style = getComputedStyle(document.documentElement);
        const entries = Object.entries(PROPERTIES).map(([name, property]) => [
            name,
            style.getPropertyValue(property).trim() || '#888888',
        ]);
        kept = Object.fromEntries(entries) as MapTheme;
    }
    return kept;
}

/** Called when other colours are in force. */
export function onThemeChange(listener: () => void): void {
    watch();
    listeners.add(listener);
}

let isWatching = false;

function watch(): void {
    if (isWatching) return;
    isWatching = true;
    const changed = () => {
        kept = null;
        for (const listener of listeners) listener();
    };
    // Which one is in force is always said there (frame/theme.ts), also if it is the system's.
    new MutationObserver(changed).observe(document.documentElement, {
        attributeFilter: ['data-theme'],
    });
}
