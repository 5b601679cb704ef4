import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import type { Model } from '../model.js';
import { glyphOf, labelOf } from '../picture.js';
import type { Guess, Question } from '../predict.js';
import type { Action, State } from '../store.js';
import { say } from '../words.js';
import { button, prose } from './parts.js';

type Dispatch = (action: Action) => void;

function fieldFor(question: Question): Child {
  return h(
    'p',
    { class: 'answer' },
    h('input', {
      name: 'said',
      autocomplete: 'off',
      inputmode: 'text',
      size: 12,
      dir: 'ltr',
      key: question.step,
      'aria-label': say('The number that arrives'),
    }),
    h('span', { class: 'small muted' }, prose(say('a number, or `None` where nothing passes'))),
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

/** What the learner is asked before the step is shown; no form, which a frame may not submit. */
export function questionView(model: Model, question: Question, dispatch: Dispatch): VNode {
  const { asks, node, through, options } = question;
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
  const title =
    asks === 'op'
      ? say('Through which op does the gradient come back next?')
      : say('What arrives at `{label}` through {op}?', {
          label: labelOf(model, node),
          op: glyphOf(model, through) || labelOf(model, through),
        });
  return h(
    'div',
    { class: 'insp ask', role: 'form', onkeydown, 'aria-label': say('Your turn') },
    h('h3', {}, prose(title)),
    asks === 'op'
      ? h(
          'fieldset',
          { 'aria-label': say('Ops on the tape') },
          options.map((option) => optionView(model, option)),
        )
      : fieldFor(question),
    h(
      'div',
      { class: 'acts' },
      h(
        'button',
        { class: 'b primary', type: 'button', onclick: answer },
        say('Step back and see'),
      ),
      button(say('Skip'), 'quiet', () => dispatch({ kind: 'next' })),
    ),
  );
}

/** What became of the last guess, where its step is the one that is shown. */
export function verdictView(state: State): VNode | null {
  const guess: Guess | undefined = state.guesses.at(-1);
  if (!guess || guess.step !== state.step) return null;
  const { said, truth, right } = guess;
  const told = right
    ? say('Right: {truth}.', { truth })
    : say('You said {said}. It is {truth}.', { said, truth });
  return h(
    'p',
    { class: `verdict ${right ? 'right' : 'wrong'}`, role: 'status' },
    h('b', { 'aria-hidden': 'true' }, right ? '✓' : '≠'),
    told,
  );
}
