import { copyText } from '../clipboard.js';
import { h } from '../dom.js';
import type { VNode } from '../dom.js';
import type { Model } from '../model.js';
import { NodeKind } from '../graph.js';
import { firstStep, glyphOf, labelOf } from '../stepstate.js';
import type { StepState } from '../stepstate.js';
import { grouped } from '../numbers.js';
import type { Action, State } from '../state.js';
import { say, WORDS } from '../words.js';
import { iconButton } from './parts.js';
import { jumpButtons, speedChoice } from './time.js';

/** What the current step does, in a few words. */
function whatHappens(model: Model, current: StepState): string {
  const label = current.node < 0 ? '' : labelOf(model, current.node);
  if (current.phase === 'backward') {
    if (!current.flow) return say('nothing comes back');
    if (current.through < 0) return say('start at {label}', { label });
    const op = glyphOf(model, current.through) || labelOf(model, current.through);
    return say('through {op} to {label}', { op, label });
  }
  if (!current.step) return say('the tape begins to record');
  if (current.node < 0) return say('assign');
  const kind = model.graph.nodeKind[current.node];
  const isRead = kind === NodeKind.Variable || kind === NodeKind.Constant;
  return isRead ? say('read {label}', { label }) : say('run {label}', { label });
}

/** So long it says that something was copied, in milliseconds. */
const SAID = 1500;

/** Where we are; pressed, it copies the line that shows this very moment. */
function copyButton(model: Model, step: number, position: string): VNode {
  const line = `tf.show(${model.recording.header.tape.name || 'tape'}, step=${step})`;
  const onclick = (event: Event): void => {
    const button = event.currentTarget as HTMLElement;
    void copyText(button, line).then((copied) => {
      if (!copied) return;
      button.dataset['said'] = WORDS.copied;
      setTimeout(() => delete button.dataset['said'], SAID);
    });
  };
  const title = say('Copy {line}', { line });
  return h(
    'button',
    { class: 'b quiet push position', type: 'button', title, onclick },
    h('span', { class: 'muted num' }, position),
  );
}

/** The buttons that step, and a sentence that says where we are. */
export function transportView(
  model: Model,
  current: StepState,
  { playing, speed }: State,
  dispatch: (action: Action) => void,
): VNode {
  const atStart = current.step <= firstStep(model);
  const atEnd = current.step >= current.stepCount;
  const go = (kind: 'first' | 'previous' | 'next' | 'last' | 'toggle') => () => dispatch({ kind });
  const forward = current.phase === 'forward';
  const position = `${grouped(current.step)} / ${grouped(current.stepCount)}`;
  return h(
    'div',
    { class: 'transport', dir: 'ltr', role: 'toolbar', 'aria-label': WORDS.transport },
    iconButton('first', WORDS.first, go('first'), atStart),
    iconButton('back', WORDS.back, go('previous'), atStart),
    iconButton(playing ? 'pause' : 'play', playing ? WORDS.pause : WORDS.play, go('toggle')),
    iconButton('next', WORDS.next, go('next'), atEnd),
    iconButton('last', WORDS.last, go('last'), atEnd),
    speedChoice(speed, dispatch),
    jumpButtons(model, dispatch),
    h(
      'span',
      { class: 'what' },
      h('b', { class: forward ? 'vt' : 'gt' }, forward ? WORDS.forward : WORDS.backward),
      ' ',
      whatHappens(model, current),
    ),
    copyButton(model, current.step, position),
  );
}
