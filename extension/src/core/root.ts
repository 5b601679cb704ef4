import { STYLES } from './styles.js';
import { directionOf } from './words.js';

/** Let JupyterLab and Notebook take no keys that are pressed there, but those with Ctrl and the like. */
function keepKeys(element: Element, event?: KeyboardEvent): void {
  const free = event?.ctrlKey || event?.metaKey || event?.altKey;
  element.toggleAttribute('data-lm-suppress-shortcuts', !free);
}

/** The element that a widget is drawn in, styled, and in the direction of its language. */
export function createRoot(
  host: Element,
  language: string | undefined,
  label: string,
  style = STYLES,
): HTMLElement {
  const root = host.ownerDocument.createElement('div');
  root.className = 'tl';
  root.dir = directionOf(language);
  if (language) root.lang = language;
  root.setAttribute('role', 'region');
  root.setAttribute('aria-label', label);
  keepKeys(root);
  // JupyterLab asks the element that has the focus before it asks those around. Ctrl itself is a key,
  // and comes before those that are pressed with it.
  for (const name of ['focusin', 'keydown', 'keyup'] as const) {
    root.addEventListener(name, (event) =>
      [root, event.target as Element].forEach((each) => keepKeys(each, event as KeyboardEvent)),
    );
  }
  const sheet = host.ownerDocument.createElement('style');
  sheet.textContent = style;
  host.replaceChildren(sheet, root);
  return root;
}
