// Elements made in code, never from text: what comes from the service ends up as text and nothing else,
// and the page's policy (trusted types) has nothing to object to.

type Listener = (event: Event) => void;
export type Attributes = Record<string, string | number | boolean | Listener | undefined>;
export type Child = Node | string | number | null | undefined | false;

/**
 * `make('button', { class: 'quiet', onclick: close }, 'Close')`
 *
 * A function under `on...` listens; true is an attribute without a value; false and undefined are left out.
 */
export function make<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    attributes: Attributes = {},
    ...children: Child[]
): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === 'function') element.addEventListener(name.slice(2), value);
        else if (value === true) element.setAttribute(name, '');
        else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
    }
    append(element, children);
    return element;
}

/** Put `children` in the place of all that `parent` has. */
export function fill(parent: Element, ...children: Child[]): void {
    parent.replaceChildren();
    append(parent, children);
}

/** Change a text only if it differs, so that nobody who listens to it is told in vain. */
export function setText(element: Element, text: string): void {
    if (element.textContent !== text) element.textContent = text;
}

let made = 0;

/** An id that no other element of this page has: for labels and descriptions. */
export function freshId(word: string): string {
    made += 1;
    return `${word}-${made}`;
}

function append(parent: Element, children: Child[]): void {
    for (const child of children) {
        if (child === null || child === undefined || child === false) continue;
        parent.append(typeof child === 'number' ? String(child) : child);
    }
}
