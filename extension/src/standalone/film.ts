import { fromBase64, unpacked } from '../core/compression.js';
import type { Explanation } from '../core/explanation.js';
import type { TrainingSeries } from '../core/film.js';
import { mountFilm } from '../core/filmpanel.js';
import { mount } from '../core/mount.js';
import type { Catalogue } from '../core/words.js';
import { readJson } from './containers.js';

/** Show the film of a training, and below it the tape of a step that is opened. */
function showFilm(script: HTMLScriptElement): void {
  const container = script.parentElement ?? document.body;
  const [place, below] = [document.createElement('div'), document.createElement('div')];
  container.append(place, below);
  const language = container.closest<HTMLElement>('[lang]')?.lang;
  const words = readJson<Catalogue>(container, 'words') ?? undefined;
  const open = async (step: number): Promise<void> => {
    const tape = container.querySelector<HTMLScriptElement>(`[data-step="${step}"]`)!;
    const read = fromBase64(tape.textContent ?? '');
    const recording = tape.dataset['packed'] ? await unpacked(read) : read;
    const explanation = readJson<Explanation>(tape.parentElement!, 'explanation');
    mount(below, { recording, explanation, language, words, why: true });
    below.scrollIntoView({ block: 'nearest' });
  };
  const series = JSON.parse(script.textContent ?? '') as TrainingSeries;
  mountFilm(place, series, { language, words, open: (step) => void open(step) });
}

document.querySelectorAll<HTMLScriptElement>('script.tapelab-film').forEach(showFilm);
