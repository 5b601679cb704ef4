import { mount } from '../core/mount.js';
import type { Handle } from '../core/mount.js';
import type { Catalogue } from '../core/words.js';
import type { Explanation } from '../core/explanation.js';

/** The part of anywidget's model that the explorer uses. */
interface Traits {
  recording: DataView | null;
  explanation: Explanation | null;
  step: number;
  language: string;
  words: Catalogue;
}
interface WidgetModel {
  get<Name extends keyof Traits>(name: Name): Traits[Name];
  set<Name extends keyof Traits>(name: Name, value: Traits[Name]): void;
  save_changes(): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
}

/** Steps reach Python at most this often, the last one always. */
const PACE = 150;

function bytesOf(view: DataView | null): Uint8Array {
  return view ? new Uint8Array(view.buffer, view.byteOffset, view.byteLength) : new Uint8Array(0);
}

/** Tell Python where the learner is, without a message per key press. */
function reporter(model: WidgetModel): { report: (step: number) => void; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    report: (step) => {
      model.set('step', step);
      timer ??= setTimeout(() => {
        timer = undefined;
        model.save_changes();
      }, PACE);
    },
    stop: () => clearTimeout(timer),
  };
}

function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  const { report, stop } = reporter(model);
  let handle: Handle | undefined;
  const remount = (): void => {
    handle?.destroy();
    const step = model.get('step');
    handle = mount(el, {
      recording: bytesOf(model.get('recording')),
      explanation: model.get('explanation'),
      language: model.get('language'),
      words: model.get('words'),
      ...(step > 0 ? { step } : {}),
    });
    handle.onChange(report);
  };
  const follow = (): void => {
    const step = model.get('step');
    if (step > 0) handle?.dispatch({ kind: 'go', step });
  };
  remount();
  model.on('change:step', follow);
  model.on('change:recording', remount);
  model.on('change:explanation', remount);
  return () => {
    stop();
    model.off('change:step', follow);
    model.off('change:recording', remount);
    model.off('change:explanation', remount);
    handle?.destroy();
  };
}

export default { render };
