// Lets each picture grow to its height, and follow the page from light to dark.
const frames = () => document.querySelectorAll('figure.explorer iframe');
const system = matchMedia('(prefers-color-scheme: dark)');

function follow() {
  const { theme = 'auto' } = document.body.dataset;
  const dark = theme === 'auto' ? system.matches : theme === 'dark';
  const chosen = dark ? 'dark' : 'light';
  for (const frame of frames()) {
    frame.style.colorScheme = chosen;
    frame.contentWindow?.postMessage({ type: 'tapelab-theme', theme: chosen }, '*');
  }
}

addEventListener('message', ({ source, data }) => {
  const frame = [...frames()].find((each) => each.contentWindow === source);
  if (!frame || data?.type !== 'tapelab-height') return;
  if (data.height > 50) frame.style.height = `${data.height}px`;
  follow();
});

// The theme leaves these out: what scrolls can be reached by keyboard, and each landmark has a name.
function makeReachable() {
  for (const each of document.querySelectorAll('.table-wrapper, .formula, pre')) {
    if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;
    else each.removeAttribute('tabindex');
  }
  document.querySelector('.sidebar-drawer')?.setAttribute('aria-label', 'Pages');
  document.querySelector('.toc-drawer')?.setAttribute('aria-label', 'On this page');
}

system.addEventListener('change', follow);
addEventListener('resize', makeReachable);
document.addEventListener('DOMContentLoaded', () => {
  new MutationObserver(follow).observe(document.body, { attributeFilter: ['data-theme'] });
  follow();
  makeReachable();
});
