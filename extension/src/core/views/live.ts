import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import { numberOf } from '../carried.js';
import { filmOf } from '../film.js';
import { seriesOf } from '../live.js';
import type {
  LiveActions,
  LiveFinding,
  LiveMessage,
  LiveState,
  LiveVariable,
  Series,
} from '../live.js';
import { count, formatNumber, formatShape, grouped } from '../numbers.js';
import { say, WORDS } from '../words.js';
import { filmView } from './film.js';
import { dots, logarithms, numberAt, scaleOf, spark } from './curve.js';
import { withoutTape } from './notape.js';
import { button, chip, iconButton, prose } from './parts.js';

/** What stands for a gradient that is no number. */
const ODD: Readonly<Record<Exclude<LiveVariable['state'], 'gradient'>, string>> = {
  none: 'None',
  zero: '0',
  nan: 'NaN',
  pending: '',
};

function headView(state: LiveState, actions: LiveActions): VNode {
  const { now, paused, chosen } = state;
  const running = now?.running ?? false;
  const title = !now
    ? WORDS.tape
    : paused
      ? say('Paused')
      : running
        ? say('Live')
        : say('Last run');
  return h(
    'div',
    { class: 'bar' },
    now && h('span', { class: `lamp ${running && !paused ? 'on' : ''}`, 'aria-hidden': 'true' }),
    h('h3', {}, h('span', { role: 'status' }, title)),
    now &&
      now.step > 0 &&
      h('span', { class: 'num muted' }, say('step {step}', { step: grouped(chosen ?? now.step) })),
    !now && state.name ? h('span', { class: 'small muted' }, state.name) : null,
    h('span', { class: 'push' }),
    now && chosen !== null && actions.choose
      ? button(say('Newest'), 'quiet', () => actions.choose!(null))
      : null,
    now && running && actions.pause
      ? iconButton(
          paused ? 'play' : 'pause',
          paused ? say('Go on with the panel') : say('Pause the panel'),
          actions.pause,
        )
      : null,
  );
}

const [WIDE, HIGH] = [322, 54];

/** The loss so far; a step of it can be looked at. */
function lossView({ losses, chosen, now }: LiveState, loss: number, actions: LiveActions): Child {
  const target = now?.target;
  const at = numberAt(losses, chosen);
  const scale = scaleOf(losses, WIDE, HIGH, losses.every(([, loss]) => !(loss < 0)) ? 0 : Infinity);
  const shown = chosen === null ? loss : (at?.[1] ?? NaN);
  const [from, to] = scale.steps;
  return h(
    'div',
    { class: 'sect' },
    h(
      'div',
      { class: 'head' },
      h('h4', { dir: 'ltr' }, target || say('loss')),
      h('b', { class: 'vt big', dir: 'ltr' }, formatNumber(shown)),
    ),
    losses.length > 1 &&
      h(
        'div',
        { class: `course v${now?.counted ? ' counted' : ''}` },
        h(
          'svg',
          { viewBox: '-4 -4 330 63', 'aria-hidden': 'true' },
          h('path', { class: 'grid', d: `M0 ${HIGH + 2}H${WIDE}` }),
          now?.counted ? dots(losses, scale) : null,
          spark(losses, at, scale),
        ),
        actions.choose &&
          h('input', {
            type: 'range',
            min: from,
            max: to,
            value: String(chosen ?? to),
            'aria-label': say('Step to look at'),
            oninput: ({ target }: Event) => {
              const step = Number((target as HTMLInputElement).value);
              actions.choose!(step < to ? step : null);
            },
          }),
      ),
    now && countedView(now, chosen ?? now.step, at?.[0]),
  );
}

/** Which steps have no numbers, and whether that which is looked at is one of them. */
function countedView(
  { counted = 0, step: newest }: LiveMessage,
  step: number,
  known?: number,
): Child {
  const steps = count(newest, 'step');
  return [
    known !== undefined &&
      known !== step &&
      h(
        'p',
        { class: 'small' },
        say('No numbers were kept of step {step}; these are those of step {known}.', {
          step: grouped(step),
          known: grouped(known),
        }),
      ),
    counted > 0 &&
      h(
        'p',
        { class: 'small muted' },
        say(
          '{counted} of {steps} ran compiled and were only counted. A dot is a step with numbers.',
          {
            counted: grouped(counted),
            steps,
          },
        ),
      ),
  ];
}

function variableView(variable: LiveVariable, series: Series, chosen: number | null): VNode {
  const { name, shape, dtype, state, value } = variable;
  const at = numberAt(series, chosen);
  const norm = chosen === null || !at ? numberOf(variable.norm) : at[1];
  const drawn = logarithms(series);
  return h(
    'li',
    { key: name },
    h('code', { title: value || null, dir: 'ltr' }, name),
    h(
      'span',
      { class: 'small muted', title: dtype, dir: 'ltr' },
      shape.length ? formatShape(shape) : '1',
    ),
    h(
      'svg',
      { class: `course g ${state}`, viewBox: '-1 -4 126 24', 'aria-hidden': 'true' },
      state === 'none' || !drawn.length
        ? h('path', { class: 'curve', d: 'M0 8H118' })
        : spark(drawn, numberAt(drawn, chosen), scaleOf(drawn, 118, 16)),
    ),
    state === 'gradient' || (chosen !== null && at)
      ? h('span', { class: 'num gt' }, formatNumber(norm))
      : h(
          'span',
          { class: 'end' },
          state === 'pending' && h('span', { class: 'sr' }, WORDS.pending),
          chip(state as keyof typeof ODD, ODD[state as keyof typeof ODD]),
        ),
  );
}

function normsView(state: LiveState, { variables, more = 0 }: LiveMessage): Child {
  if (!variables.length) return null;
  const { norms, chosen } = state;
  return h(
    'div',
    { class: 'sect' },
    h(
      'div',
      { class: 'head' },
      h('h4', {}, say('Gradient norms')),
      h('span', { class: 'small muted' }, say('log scale')),
    ),
    h(
      'ul',
      { class: 'norms' },
      variables.map((variable) => variableView(variable, norms[variable.name] ?? [], chosen)),
    ),
    more > 0 && h('p', { class: 'small muted' }, say('… and {more} more', { more })),
  );
}

/** At least so many steps make a film. */
const LEAST_STEPS = 3;
/** So many columns are drawn at most. */
const COLUMNS = 80;

const sameNames = (
  before: NonNullable<LiveState['before']>['variables'],
  now: readonly LiveVariable[],
): boolean => String(before.map(([name]) => name)) === String(now.map(({ name }) => name));

/** The heat map of all steps, and below it that of the run before. */
function trainingView(state: LiveState, now: LiveMessage, actions: LiveActions): Child {
  const { rows, before, chosen, focus } = state;
  if (rows.length < LEAST_STEPS || !now.variables.length) return null;
  const series = seriesOf(state, now);
  const earlier = before && sameNames(before.variables, now.variables) ? before : null;
  const film = filmOf(series, COLUMNS, earlier ? filmOf(earlier, COLUMNS) : undefined);
  return h(
    'div',
    { class: 'sect' },
    h('div', { class: 'head' }, h('h4', {}, say('Gradient norms by step'))),
    filmView(
      { film, kept: now.kept ?? null, epochs: now.epochs ?? [], step: chosen, focus },
      actions,
    ),
    earlier && [
      h('h4', { class: 'before' }, say('The run before')),
      filmView(
        { film: filmOf(earlier, COLUMNS, film), kept: [], epochs: [], step: null, focus: null },
        {},
      ),
    ],
  );
}

/** What is watched, with its numbers: closed until somebody wants to see them. */
function valuesView(variables: readonly LiveVariable[]): Child {
  const known = variables.filter(({ value }) => value);
  if (!known.length) return null;
  return h(
    'details',
    { class: 'sect' },
    h('summary', {}, say('Watched values')),
    h(
      'ul',
      { class: 'values' },
      known.map(({ name, value }) =>
        h(
          'li',
          { key: name, dir: 'ltr' },
          h('code', {}, name),
          h('span', { class: 'num vt' }, value),
        ),
      ),
    ),
  );
}

function partsView(parts: readonly (readonly [string, number])[]): Child {
  const whole = parts.reduce((sum, [, bytes]) => sum + bytes, 0) || 1;
  const summary = parts.map(([name, bytes]) => `${name} ${count(bytes, 'byte')}`).join(', ');
  return h(
    'div',
    { class: 'shares', role: 'img', 'aria-label': summary },
    parts.map(([name, bytes]) =>
      h(
        'span',
        { style: `flex:${bytes}`, title: `${name} ${count(bytes, 'byte')}` },
        bytes / whole > 0.24 && h('span', { dir: 'ltr' }, `${name} ${grouped(bytes)}`),
      ),
    ),
  );
}

function tapeView(tape: NonNullable<LiveMessage['tape']>): VNode {
  const { ops, bytes, parts, persistent, recording, consumed } = tape;
  const end = recording
    ? say('It is recording.')
    : persistent
      ? say('Persistent: kept until `del tape`.')
      : consumed === false
        ? say('No gradient was computed yet, so it keeps them.')
        : say('Freed after each step.');
  return h(
    'div',
    { class: 'sect' },
    h(
      'div',
      { class: 'head' },
      h('h4', {}, say('Tape memory')),
      h('span', { class: 'num' }, count(bytes, 'byte')),
    ),
    parts?.length ? partsView(parts) : null,
    h('p', { class: 'small muted' }, prose(`${count(ops, 'op')}. ${end}`)),
  );
}

function findingView(findings: readonly LiveFinding[], actions: LiveActions): Child {
  const present = findings.filter(({ now }) => now !== false);
  const [finding] = present;
  if (!finding) return null;
  const { code, title, line, cell, source } = finding;
  const state = code.toLowerCase() in ODD ? (code.toLowerCase() as keyof typeof ODD) : 'none';
  const more = present.length - 1;
  return h(
    'div',
    { class: 'sect' },
    source ? h('h4', { class: 'about' }, chip(state, ODD[state]), h('code', {}, source)) : null,
    h('p', {}, prose(title)),
    more > 0 && h('p', { class: 'small muted' }, say('… and {more} more', { more })),
    h(
      'div',
      { class: 'acts' },
      line !== null && actions.goTo
        ? button(say('Go to line {line}', { line }), '', () => actions.goTo!(cell, line))
        : null,
      actions.explain ? button(WORDS.askWhy, 'quiet', () => actions.explain!(null)) : null,
    ),
  );
}

/** The whole panel: step, loss, gradient norms, memory, what is wrong. */
export function liveView(state: LiveState, actions: LiveActions): VNode[] {
  const { now, link, chosen } = state;
  const head = headView(state, actions);
  if (!now || link !== 'open') return [head, withoutTape({ ...state, now: null }, actions)];
  // A tape from before the panel was visible may be released already.
  if (!now.tape && !now.step && !now.variables.length) return [head, withoutTape(state, actions)];
  const body: Child[] = [
    now.loss !== null && lossView(state, numberOf(now.loss), actions),
    trainingView(state, now, actions),
    normsView(state, now),
    valuesView(now.variables),
    now.tape && tapeView(now.tape),
    findingView(now.findings, actions),
    actions.open && now.step > 0
      ? h(
          'div',
          { class: 'sect acts' },
          button(WORDS.showOnTape, '', () => actions.open!(chosen), {
            disabled: chosen !== null && now.kept?.includes(chosen) === false,
          }),
        )
      : null,
  ];
  return [head, h('div', {}, body)];
}
