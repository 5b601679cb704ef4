// The switches of the gallery, and the keys that bring a scene to where it is to be looked at.
const NAMES = { '>': 'ArrowRight', '<': 'ArrowLeft' };

/** Show the rules for forced colours with or without the browser forcing them. */
function force(on) {
  const [from, to] = on ? ['(forced-colors: active)', 'all'] : ['all', '(forced-colors: active)'];
  const visit = (rules) => {
    for (const rule of rules) {
      if (rule.media && rule.media.mediaText === from) {
        if (on) rule.forced = true;
        if (on || rule.forced) rule.media.mediaText = to;
      }
      if (rule.cssRules) visit(rule.cssRules);
    }
  };
  for (const sheet of document.styleSheets) visit(sheet.cssRules);
}

/** Turn a picture to the right, or back to how its language is written. */
function turn(root, on) {
  root.dataset.written ??= root.dir;
  root.dir = on ? 'rtl' : root.dataset.written;
}

const SWITCHES = {
  dark: (on) => (document.documentElement.dataset.theme = on ? 'dark' : 'light'),
  forced: force,
  rtl: (on) => document.querySelectorAll('.tl').forEach((root) => turn(root, on)),
};

for (const button of document.querySelectorAll('[data-switch]')) {
  button.onclick = () => {
    const on = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', on);
    SWITCHES[button.dataset.switch](on);
  };
}

/** Wait until the Explorer stands there, then press the keys of its scene. */
function press(view) {
  const root = view.querySelector('.tl .transport')?.closest('.tl');
  if (!root) return requestAnimationFrame(() => press(view));
  for (const key of view.dataset.keys) {
    root.dispatchEvent(new KeyboardEvent('keydown', { key: NAMES[key] ?? key, bubbles: true }));
  }
}
document.querySelectorAll('.view').forEach((view) => view.dataset.keys && press(view));
