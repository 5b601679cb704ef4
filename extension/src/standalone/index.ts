import type { Explanation } from '../core/explanation.js';
import { provide } from '../core/extras.js';
import { announce, mount } from '../core/mount.js';
import type { Handle } from '../core/mount.js';
import { fromBase64, unpacked } from '../core/compression.js';
import ESSENTIALS from '../extras/essentials.js';
import { readJson } from './containers.js';
import { framePort } from './frameport.js';
import { gridSource } from '../core/whatif.js';
import type { GridData } from '../core/whatif.js';
import type { Catalogue } from '../core/words.js';

/** Show the recording that a script element holds, in a new element beside it. */
async function show(script: HTMLScriptElement): Promise<Handle | null> {
  if (script.dataset['shown']) return null;
  script.dataset['shown'] = 'yes';
  const container = script.parentElement ?? document.body;
  const place = document.createElement('div');
  place.className = 'tapelab-explorer';
  container.append(place);
  const evaluation = /\bstep=(\d+)/.exec(location.hash)?.[1];
  const step = Number(evaluation ?? script.dataset['step'] ?? 0);
  const grid = readJson<GridData>(container, 'what-if');
  const read = fromBase64(script.textContent ?? '');
  const { packed, ops } = script.dataset;
  const soon = setTimeout(() => packed && announce(place, Number(ops ?? 0)), 100);
  const recording = packed ? await unpacked(read) : read;
  clearTimeout(soon);
  return mount(place, {
    recording: grid ? recording.slice(0, grid.sizes[0]) : recording,
    whatIf: grid ? gridSource(grid, recording) : undefined,
    cell: grid ? null : framePort(),
    explanation: readJson<Explanation>(container, 'explanation'),
    language: container.closest<HTMLElement>('[lang]')?.lang,
    words: readJson<Catalogue>(container, 'words') ?? undefined,
    predict: 'predict' in script.dataset,
    ...(step > 0 ? { step } : {}),
  });
}

/** Two pictures side by side: where one is moved, the other goes to the same place. */
function link(handles: readonly (Handle | null)[], steps: readonly (readonly number[])[]): void {
  handles.forEach((handle, side) =>
    handle?.onChange((step) => {
      const [other, there] = [handles[1 - side], steps[side]?.[step]];
      if (other && there && other.step() !== there) other.dispatch({ kind: 'go', step: there });
    }),
  );
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

/** A frame cannot look outside: the page around it tells whether it is light or dark. */
function followTheme(): void {
  window.addEventListener('message', (message: MessageEvent<unknown>) => {
    const data = message.data as { type?: string; theme?: string } | null;
    if (message.source !== window.parent || data?.type !== 'tapelab-theme') return;
    document.documentElement.dataset['theme'] = data.theme === 'dark' ? 'dark' : 'light';
  });
}

/** Fill in what the page holds. */
function start(): void {
  const scripts = document.querySelectorAll<HTMLScriptElement>('script.tapelab-recording');
  void Promise.all([...scripts].map(show)).then((handles) => {
    const steps = readJson<number[][]>(document.body, 'pair');
    if (steps) link(handles, steps);
  });
  followTheme();
  reportHeight();
}

provide(ESSENTIALS);
// The parts that the page brings along stand in the same script, after this one.
queueMicrotask(start);
