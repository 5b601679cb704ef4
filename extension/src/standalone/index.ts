import type { Explanation } from '../core/explanation.js';
import { mount } from '../core/mount.js';

function decode(base64: string): Uint8Array {
  const letters = atob(base64.replace(/\s+/g, ''));
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
}

function explanationIn(container: Element): Explanation | null {
  const text = container.querySelector('script.tapelab-explanation')?.textContent?.trim();
  return text ? (JSON.parse(text) as Explanation | null) : null;
}

/** Show the recording that a script element holds, in a new element beside it. */
function show(script: HTMLScriptElement): void {
  if (script.dataset['shown']) return;
  script.dataset['shown'] = 'yes';
  const container = script.parentElement ?? document.body;
  const place = document.createElement('div');
  place.className = 'tapelab-explorer';
  container.append(place);
  const step = Number(script.dataset['step'] ?? 0);
  mount(place, {
    recording: decode(script.textContent ?? ''),
    explanation: explanationIn(container),
    language: document.documentElement.lang,
    ...(step > 0 ? { step } : {}),
  });
}

/** A frame cannot grow by itself: tell the page around it how high its content is. */
function reportHeight(): void {
  if (window.parent === window) return;
  const report = (): void => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    window.parent.postMessage({ type: 'tapelab-height', height }, '*');
  };
  new ResizeObserver(report).observe(document.body);
  report();
}

for (const script of document.querySelectorAll<HTMLScriptElement>('script.tapelab-recording')) {
  show(script);
}
reportHeight();
