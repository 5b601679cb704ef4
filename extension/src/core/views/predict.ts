import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import type { Model } from '../model.js';
import { glyphOf, labelOf } from '../stepstate.js';
import type { Guess, Question } from '../predict.js';
import type { Dispatch, State } from '../state.js';
import { say } from '../words.js';
import { button, prose } from './parts.js';

/** What can be answered, for each kind of question. */
const hint = ({ asks, way }: Question): string => {
  if (asks === 'shape') return say('a shape, such as `2×3`');
  if (asks === 'vector') return say('numbers, such as `1 2 3`');
  return way === 'forward' ? say('a number') : say('a number, or `None` where nothing passes');
};

function fieldFor(question: Question, title: string): Child {
  return h(
    'p',
    { class: 'answer' },
    h('input', {
      name: 'said',
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
      size: 12,
      dir: 'ltr',
      key: question.step,
      'aria-label': title,
    }),
    h('span', { class: 'small muted' }, prose(hint(question))),
  );
}

function optionView(model: Model, node: number): VNode {
  return h(
    'label',
    { class: 'option', key: node },
    h('input', { type: 'radio', name: 'said', value: node }),
    h('span', { class: 'chipop' }, glyphOf(model, node) || '·'),
    h('code', { dir: 'ltr' }, labelOf(model, node)),
  );
}

function titleOf(model: Model, { asks, way, node, through }: Question): string {
  const label = `\`${labelOf(model, node)}\``;
  const op = glyphOf(model, through) || labelOf(model, through);
  if (way === 'forward') {
    if (asks === 'op') return say('Which op runs next?');
    return asks === 'shape'
      ? say('What shape does {op} make of it in {label}?', { op, label })
      : say('What does {op} make of it in {label}?', { op, label });
  }
  if (asks === 'op') return say('Through which op does the gradient come back next?');
  return asks === 'shape'
    ? say('What shape has the gradient that arrives at {label} through {op}?', { label, op })
    : say('What arrives at {label} through {op}?', { label, op });
}

/** What the learner is asked before the step is shown; no form, which a frame may not submit. */
export function questionView(model: Model, question: Question, dispatch: Dispatch): VNode {
  const { asks, way, options } = question;
  const answer = (event: Event): void => {
    const form = (event.currentTarget as Element).closest('.ask')!;
    const field = form.querySelector<HTMLInputElement>('.answer input, input:checked');
    if (field?.value.trim()) dispatch({ kind: 'guess', said: field.value });
  };
  const onkeydown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || (event.target as Element).tagName !== 'INPUT') return;
    event.preventDefault();
    answer(event);
  };
  const title = titleOf(model, question);
  const said = title.replaceAll('`', '');
  return h(
    'div',
    { class: 'insp ask', role: 'form', onkeydown, 'aria-label': say('Your turn') },
    h('h3', {}, prose(title)),
    asks === 'op'
      ? h(
          'fieldset',
          { 'aria-label': said },
          options.map((option) => optionView(model, option)),
        )
      : fieldFor(question, said),
    h(
      'div',
      { class: 'acts' },
      h(
        'button',
        { class: 'b primary', type: 'button', onclick: answer },
        way === 'forward' ? say('Step and see') : say('Step back and see'),
      ),
      button(say('Skip'), 'quiet', () => dispatch({ kind: 'next' })),
    ),
  );
}

/** What became of the last guess, where its step is the one that is shown. */
export function verdictView(state: State, dispatch: Dispatch): VNode | null {
  const guess: Guess | undefined = state.guesses.at(-1);
  if (!guess || guess.step !== state.step) return null;
  const { said, truth, right } = guess;
  const feedback = right
    ? say('Right: {truth}.', { truth })
    : say('You said {said}. It is {truth}.', { said, truth });
  return h(
    'div',
    { class: `verdict ${right ? 'right' : 'wrong'}`, key: 'verdict' },
    h('b', { 'aria-hidden': 'true' }, right ? '✓' : '≠'),
    h('p', { role: 'status' }, feedback),
    button(say('Take back'), 'quiet push', () => dispatch({ kind: 'takeBack' }), {
      'aria-keyshortcuts': 'u',
    }),
  );
}
