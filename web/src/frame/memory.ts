// Small choices that outlive a visit: the theme, that the introduction was read. Never anything secret.
// A browser may forbid it; then they last as long as the page.

export function recall(name: string): string | null {
    try {
        return localStorage.getItem(`starcloak.${name}`);
    } catch {
        return null;
    }
}

export function remember(name: string, value: string): void {
    try {
        localStorage.setItem(`starcloak.${name}`, value);
    } catch {
        // Forgotten, then.
    }
}
