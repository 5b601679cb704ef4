import { copyText } from '../clipboard.js';
import { h } from '../dom.js';
import type { VNode } from '../dom.js';
import type { Model } from '../model.js';
import { NodeKind } from '../graph.js';
import { glyphOf, labelOf } from '../picture.js';
import type { Picture } from '../picture.js';
import { grouped } from '../numbers.js';
import type { Action, State } from '../state.js';
import { say, WORDS } from '../words.js';
import { iconButton } from './parts.js';
import { jumpButtons, speedChoice } from './time.js';

/** What the current step does, in a few words. */
function whatHappens(model: Model, picture: Picture): string {
  const label = picture.node < 0 ? '' : labelOf(model, picture.node);
  if (picture.phase === 'backward') {
    if (!picture.flow) return say('nothing comes back');
    if (picture.through < 0) return say('start at {label}', { label });
    const op = glyphOf(model, picture.through) || labelOf(model, picture.through);
    return say('through {op} to {label}', { op, label });
  }
  if (picture.node < 0) return say('assign');
  const kind = model.graph.nodeKind[picture.node];
  const isRead = kind === NodeKind.Variable || kind === NodeKind.Constant;
  return isRead ? say('read {label}', { label }) : say('run {label}', { label });
}

/** So long it says that something was copied, in milliseconds. */
const SAID = 1500;

/** Where we are; pressed, it copies the line that shows this very moment. */
function momentButton(model: Model, step: number, position: string): VNode {
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
    { class: 'b quiet push moment', type: 'button', title, onclick },
    h('span', { class: 'muted num' }, position),
  );
}

/** The buttons that step, and a sentence that says where we are. */
export function transportView(
  model: Model,
  picture: Picture,
  { playing, speed }: State,
  dispatch: (action: Action) => void,
): VNode {
  const atStart = picture.step <= 1;
  const atEnd = picture.step >= picture.stepCount;
  const go = (kind: 'first' | 'previous' | 'next' | 'last' | 'toggle') => () => dispatch({ kind });
  const forward = picture.phase === 'forward';
  const position = `${grouped(picture.step)} / ${grouped(picture.stepCount)}`;
  return h(
    'div',
    { class: 'reelbar', dir: 'ltr', role: 'toolbar', 'aria-label': WORDS.transport },
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
      whatHappens(model, picture),
    ),
    momentButton(model, picture.step, position),
  );
}
