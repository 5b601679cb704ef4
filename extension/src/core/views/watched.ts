import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import type { Model } from '../model.js';
import { formatBrief, grouped } from '../numbers.js';
import { slotAt, slotText, tensorOf } from '../stepstate.js';
import type { StepState } from '../stepstate.js';
import type { Dispatch } from '../state.js';
import { watchingOf } from '../watched.js';
import type { Inside } from '../watched.js';
import { say, WORDS } from '../words.js';
import { eyeView } from './node.js';
import { button, chip, prose } from './parts.js';

/** So many rows are shown; the rest is counted. */
const MOST_ROWS = 60;

function eye(watched: boolean): VNode {
  return h(
    'svg',
    { class: 'seen', viewBox: '-9 -9 18 18', 'aria-hidden': 'true' },
    eyeView(0, 0, watched),
  );
}

function rowView(
  model: Model,
  current: StepState,
  node: number,
  watched: boolean,
  name: Child,
  reason: Child,
  dispatch: Dispatch,
): VNode {
  const slot = slotAt(model, current, node);
  const tensor = tensorOf(model, node);
  const choose = (): void => dispatch({ kind: 'select', node });
  return h(
    'li',
    { key: node },
    eye(watched),
    button(h('code', {}, name), 'quiet name', choose, { dir: 'ltr' }),
    h('span', { class: 'num vt' }, h('bdi', {}, tensor ? formatBrief(tensor, 12) : '')),
    h('span', { class: 'reason small muted' }, reason),
    h('span', { class: 'sr' }, `${WORDS.gradient} `, slot.state === 'pending' ? WORDS.pending : ''),
    chip(slot.state, slotText(model, slot, 9)),
  );
}

function listView(title: string, rows: readonly VNode[], all: number, none = ''): Child[] {
  const more = all - rows.length;
  return [
    h('h4', {}, title),
    rows.length ? h('ul', { class: 'watch' }, rows) : h('p', { class: 'muted' }, none),
    more > 0 && h('p', { class: 'muted' }, say('… and {more} more', { more: grouped(more) })),
  ];
}

/** What is said of something, and then which tapes inside watch it since when. */
function reasonOf(said: string, inside: readonly Inside[]): Child {
  const more = inside.map(({ tape, step }) =>
    say('`{tape}` watches it since step {step}.', { tape, step: grouped(step) }),
  );
  const end = more.length && !/[.。]$/.test(said) ? '.' : '';
  return prose([said + end, ...more].join(' '));
}

/** Who is watched since when and by which tape; who is not, and why. */
export function watchedView(model: Model, current: StepState, dispatch: Dispatch): Child[] {
  const tape = model.recording.header.tape.name || WORDS.untitled;
  const found = watchingOf(model);
  const watched = found.watched.slice(0, MOST_ROWS).map((row) => {
    const { node, modules, step, how, inside } = row;
    const name = modules ? [h('span', { class: 'muted' }, `${modules} › `), row.name] : row.name;
    const since = step > 0 ? `, ${say('since step {step}', { step: grouped(step) })}` : '';
    return rowView(model, current, node, true, name, reasonOf(how + since, inside), dispatch);
  });
  const unwatched = found.unwatched
    .slice(0, MOST_ROWS)
    .map(({ node, name, why, inside }) =>
      rowView(model, current, node, false, name, reasonOf(why, inside), dispatch),
    );
  return [
    listView(
      say('Watched by {tape}', { tape }),
      watched,
      found.watched.length,
      say('Nothing: no gradient can come back.'),
    ),
    unwatched.length ? listView(say('Not watched'), unwatched, found.unwatched.length) : null,
  ];
}
