import { extrasFrom, provide } from '../core/extras.js';
import type { Extras } from '../core/extras.js';
import { mount } from '../core/mount.js';
import type { Handle } from '../core/mount.js';
import { kernelReplays } from '../core/replays.js';
import type { KernelReplays, Moved } from '../core/replays.js';
import type { Experiment, Evaluation, Source } from '../core/whatif.js';
import type { Guess } from '../core/predict.js';
import type { Catalogue } from '../core/words.js';
import type { Explanation } from '../core/explanation.js';

/** The part of anywidget's model that the explorer uses. */
interface Traits {
  recording: DataView | null;
  explanation: Explanation | null;
  step: number;
  predictions: readonly Guess[];
  predict: boolean;
  language: string;
  words: Catalogue;
  what_if: Experiment | null;
  evaluation: Evaluation;
  values: readonly number[];
  stands_for: string;
  side: number;
}
interface WidgetModel {
  get<Name extends keyof Traits>(name: Name): Traits[Name];
  set<Name extends keyof Traits>(name: Name, value: Traits[Name]): void;
  save_changes(): void;
  on(event: string, listener: () => void): void;
  on(
    event: 'msg:custom',
    listener: (message: { kind?: string; error?: string }, data: DataView[]) => void,
  ): void;
  off(event: string, listener: () => void): void;
  send(message: { kind: string; values?: Moved }): void;
  /** JupyterLab's has a kernel, or null where there is none any more. */
  readonly widget_manager?: { readonly kernel?: object | null };
}

const isAlone = (model: WidgetModel): boolean => model.widget_manager?.kernel === null;

/** Send Python what was set, if there is a kernel. */
function save(model: WidgetModel): void {
  if (!isAlone(model)) model.save_changes();
}

/** Let the kernel send the views that do not travel with every output, once somebody wants them. */
function askKernel(model: WidgetModel): void {
  let requested = false;
  extrasFrom(() => {
    if (!requested) model.send({ kind: 'extras' });
    requested = true;
  });
  model.on('msg:custom', (message, [data]) => {
    if (message.kind !== 'extras' || !data) return;
    const code = new Blob([data as DataView<ArrayBuffer>], { type: 'text/javascript' });
    const address = URL.createObjectURL(code);
    void import(address).then((made: { default: Extras }) => {
      URL.revokeObjectURL(address);
      provide(made.default);
    });
  });
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
        save(model);
      }, PACE);
    },
    stop: () => clearTimeout(timer),
  };
}

/** A kernel that does not answer for so long is gone, or busy with something else. */
const PATIENCE = 4000;

/** Moments as the kernel works them out: one question at a time, the newest one last. */
function kernelSource(model: WidgetModel, experiment: Experiment, giveUp: () => void): Source {
  let [requested, wanted]: (readonly number[] | null)[] = [null, null];
  let patience: ReturnType<typeof setTimeout>;
  const ask = (): void => {
    if (isAlone(model)) return giveUp();
    [requested, wanted] = [wanted, null];
    patience = setTimeout(giveUp, PATIENCE);
    model.set('values', requested!);
    model.save_changes();
  };
  return {
    experiment,
    counts: null,
    evaluation: () => model.get('evaluation'),
    move: (values) => {
      wanted = values;
      if (!requested && String(values) !== String(model.get('values'))) ask();
    },
    listen: (listener) => {
      const notify = (): void => {
        requested = null;
        clearTimeout(patience);
        listener(bytesOf(model.get('recording')));
        if (wanted && String(wanted) !== String(model.get('values'))) ask();
      };
      model.on('change:evaluation', notify);
      return () => model.off('change:evaluation', notify);
    },
  };
}

/** Recordings at other values of variables, until the view is gone. */
function replaysOf(model: WidgetModel): readonly [KernelReplays, () => void] {
  const replays = kernelReplays((values) => {
    if (!isAlone(model)) model.send({ kind: 'replay', values });
    return !isAlone(model);
  });
  const receive = (message: { kind?: string; error?: string }, [data]: DataView[]): void => {
    if (message.kind === 'replay')
      replays.receive(data ? bytesOf(data) : null, message.error ?? '');
  };
  model.on('msg:custom', receive);
  return [replays, () => model.off('msg:custom', receive as () => void)];
}

interface Place {
  readonly model: WidgetModel;
  readonly el: HTMLElement;
  /** What to do when the kernel no longer answers. */
  readonly giveUp?: () => void;
}

function render({ model, el, giveUp = () => {} }: Place): () => void {
  const { report, stop } = reporter(model);
  const [replays, ignore] = replaysOf(model);
  let handle: Handle | undefined;
  const experiment = model.get('what_if');
  const remount = (): void => {
    handle?.destroy();
    const step = model.get('step');
    handle = mount(el, {
      recording: bytesOf(model.get('recording')),
      explanation: model.get('explanation'),
      language: model.get('language'),
      words: model.get('words'),
      guesses: model.get('predictions'),
      predict: model.get('predict'),
      whatIf: experiment ? kernelSource(model, experiment, giveUp) : undefined,
      replays: isAlone(model) ? undefined : replays,
      ...(step > 0 ? { step } : {}),
    });
    handle.onChange(report);
    handle.onGuess((guesses) => {
      model.set('predictions', guesses);
      save(model);
    });
  };
  const follow = (): void => {
    const step = model.get('step');
    if (step >= 0) handle?.dispatch({ kind: 'go', step });
  };
  remount();
  model.on('change:step', follow);
  if (!experiment) model.on('change:recording', remount);
  model.on('change:explanation', remount);
  return () => {
    stop();
    ignore();
    model.off('change:step', follow);
    model.off('change:recording', remount);
    model.off('change:explanation', remount);
    handle?.destroy();
  };
}

/** What a page in an output says of itself whenever it is drawn; see `tapelab/views/html.py`. */
const PAGE = 'tapelab-page';

/**
 * Take the place of the pages that stand for this widget, as long as its kernel answers.
 *
 * The output itself holds no widget: a notebook that is opened again would find none, and say so.
 */
function initialize({ model }: { model: WidgetModel }): () => void {
  askKernel(model);
  const name = model.get('stands_for');
  const taken = new Map<HTMLElement, () => void>();
  let answered = false;
  const take = (page: HTMLElement): void => {
    if (!answered || page.id !== name || taken.has(page)) return;
    const el = page.ownerDocument.createElement('div');
    el.style.order = String(model.get('side'));
    page.after(el);
    page.hidden = true;
    page.closest('details')?.setAttribute('open', '');
    const stop = render({ model, el, giveUp: hail });
    taken.set(page, () => {
      stop();
      el.remove();
      page.hidden = false;
    });
  };
  const giveBack = (): void => {
    answered = false;
    for (const give of taken.values()) give();
    taken.clear();
  };
  const hail = (): void => {
    giveBack();
    if (!isAlone(model)) model.send({ kind: 'hail' });
  };
  const notify = ({ kind }: { kind?: string }): void => {
    if (kind !== 'hail') return;
    answered = true;
    document.querySelectorAll<HTMLElement>(`[id="${name}"]`).forEach(take);
  };
  const found = (event: Event): void => take((event as CustomEvent<HTMLElement>).detail);
  if (name) {
    model.on('msg:custom', notify);
    model.on('comm_live_update', hail);
    document.addEventListener(PAGE, found);
    hail();
  }
  return () => {
    document.removeEventListener(PAGE, found);
    giveBack();
  };
}

export default { initialize, render };
