import { STYLES } from './styles.js';
import { directionOf } from './words.js';

/** Let JupyterLab and Notebook take no keys that are pressed there. */
function keepKeys(element: Element): void {
  element.setAttribute('data-lm-suppress-shortcuts', 'true');
}

/** The element that a widget is drawn in, dressed and turned the way its language is written. */
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
  // JupyterLab asks the element that has the focus before it asks those around.
  root.addEventListener('focusin', ({ target }) => keepKeys(target as Element));
  const sheet = host.ownerDocument.createElement('style');
  sheet.textContent = style;
  host.replaceChildren(sheet, root);
  return root;
}
