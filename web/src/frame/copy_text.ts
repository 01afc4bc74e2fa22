// A text into the clipboard. Browsers have one way for pages that came over TLS or from this machine, and an old one
// for all others.

/** Whether it went well. */
export async function copyText(text: string): Promise<boolean> {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        return copySelected(text);
    }
}

function copySelected(text: string): boolean {
    const held = document.activeElement;
    const field = document.createElement('textarea');
    field.value = text;
    field.className = 'copied';
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand('copy');
    field.remove();
    if (held instanceof HTMLElement) held.focus();
    return isCopied;
}
