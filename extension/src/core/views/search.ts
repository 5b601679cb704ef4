import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import type { Model } from '../model.js';
import { count, formatType, grouped } from '../numbers.js';
import { hitAt, hitsOf } from '../search.js';
import type { Hits, Layer, Line } from '../search.js';
import { labelOf, opOf, tensorOf } from '../stepstate.js';
import type { Dispatch, State } from '../state.js';
import { say, WORDS } from '../words.js';
import { button, iconButton } from './parts.js';

/** So many results are listed at once, around the one that is marked. */
const LISTED = 40;

interface Result {
  readonly title: string;
  readonly detail: string;
}

function stepText(frame: number): string {
  return frame < 0 ? '' : say('step {step}', { step: grouped(frame + 1) });
}

function nodeResult(model: Model, node: number): Result {
  const { graph, recording } = model;
  const op = opOf(model, node);
  const tensor = tensorOf(model, node);
  const span = tensor && recording.span(tensor.span);
  const details = [
    op ? say(op.title) : tensor && formatType(tensor),
    stepText(graph.nodeFrame[node]!),
    op && span && WORDS.line(span.line),
    op && tensor && recording.functionAt(tensor.span),
  ];
  return { title: labelOf(model, node), detail: details.filter(Boolean).join(' · ') };
}

function layerResult({ path, size }: Layer): Result {
  return { title: path, detail: count(size, 'op') };
}

function lineResult({ line, text, frame }: Line): Result {
  return { title: text, detail: [WORDS.line(line), stepText(frame)].join(' · ') };
}

function optionView(state: State, hits: Hits, at: number, id: string, dispatch: Dispatch): VNode {
  const hit = hitAt(hits, at)!;
  const { title, detail } =
    typeof hit === 'number'
      ? nodeResult(state.model, hit)
      : 'fold' in hit
        ? layerResult(hit)
        : lineResult(hit);
  return h(
    'div',
    {
      id: `${id}-hit-${at}`,
      key: at,
      class: 'hit',
      role: 'option',
      'aria-selected': String(at === state.hit),
      'aria-posinset': at + 1,
      'aria-setsize': hits.count,
      onclick: () => dispatch({ kind: 'goToHit', hit: at }),
    },
    h('code', { dir: 'ltr' }, title),
    h('span', { class: 'muted small' }, detail),
  );
}

/** The results around the marked one, under the heads of what they are. */
function listView(state: State, hits: Hits, id: string, dispatch: Dispatch): VNode {
  const from = Math.max(0, Math.min(state.hit - LISTED / 2, hits.count - LISTED));
  const to = Math.min(hits.count, from + LISTED);
  const { variables, layers, ops, lines } = hits;
  let begin = 0;
  const groups = [
    [say('Variables'), variables.length],
    [say('Layers'), layers.length],
    [say('Ops and values'), ops.length],
    [say('Lines'), lines.length],
  ] as const;
  const sections = groups.map(([title, size]): Child => {
    const [first, last] = [Math.max(from, begin), Math.min(to, begin + size)];
    begin += size;
    const options: VNode[] = [];
    for (let at = first; at < last; at++) options.push(optionView(state, hits, at, id, dispatch));
    return options.length
      ? h(
          'div',
          { role: 'group', 'aria-label': title },
          h('h4', { class: 'muted small', 'aria-hidden': 'true' }, `${title} ${grouped(size)}`),
          options,
        )
      : null;
  });
  return h(
    'div',
    { id: `${id}-hits`, class: 'hits', role: 'listbox', 'aria-label': say('Results') },
    sections,
  );
}

function foundText({ query }: State, hits: Hits): string {
  if (!query.trim()) return say('Type a part of a name, an op, or the number of a line.');
  return hits.count ? count(hits.count, 'result') : say('Nothing found.');
}

/** What the keys of the field do; all others write. */
function keyed(dispatch: Dispatch): (event: KeyboardEvent) => void {
  const acts: Readonly<Record<string, () => void>> = {
    ArrowDown: () => dispatch({ kind: 'markHit', by: 1 }),
    ArrowUp: () => dispatch({ kind: 'markHit', by: -1 }),
    Enter: () => dispatch({ kind: 'goToHit' }),
    Escape: () => dispatch({ kind: 'overlay', overlay: null }),
  };
  return (event) => {
    const act = event.isComposing ? undefined : acts[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
}

/** One field for ops, variables and lines, with its results as a list. */
export function searchView(state: State, id: string, dispatch: Dispatch): VNode {
  const hits = hitsOf(state.model, state.query);
  const any = hits.count > 0;
  const oninput = (event: Event): void =>
    dispatch({ kind: 'search', query: (event.target as HTMLInputElement).value });
  return h(
    'div',
    { class: 'overlay search', role: 'search', key: 'search' },
    h(
      'div',
      { class: 'row' },
      h('input', {
        type: 'text',
        role: 'combobox',
        value: state.query,
        'aria-label': say('Search ops, variables and lines'),
        placeholder: say('Search ops, variables and lines'),
        'aria-autocomplete': 'list',
        'aria-expanded': String(any),
        'aria-controls': any ? `${id}-hits` : null,
        'aria-activedescendant': any ? `${id}-hit-${state.hit}` : null,
        autocomplete: 'off',
        spellcheck: 'false',
        oninput,
        onkeydown: keyed(dispatch) as never,
      }),
      closeButton(dispatch),
    ),
    h('p', { class: 'muted small', role: 'status' }, foundText(state, hits)),
    any ? listView(state, hits, id, dispatch) : null,
  );
}

export function closeButton(dispatch: Dispatch): VNode {
  return iconButton('close', say('Close'), () => dispatch({ kind: 'overlay', overlay: null }));
}

/** While one goes through the results: which of them this is, the next, the one before. */
export function hitsView(state: State, dispatch: Dispatch): VNode {
  const { query, hit, model } = state;
  const of = hitsOf(model, query).count;
  const place = say('{at} of {of}', { at: grouped(hit + 1), of: grouped(of) });
  return h(
    'div',
    { class: 'overlay row going', role: 'search', key: 'going' },
    button(h('code', {}, query), 'quiet', () => dispatch({ kind: 'overlay', overlay: 'search' }), {
      'aria-label': say('Search for {query}, change', { query }),
    }),
    h('span', { class: 'muted small num', role: 'status' }, place),
    iconButton('up', say('Previous result'), () => dispatch({ kind: 'goToHit', by: -1 })),
    iconButton('down', say('Next result'), () => dispatch({ kind: 'goToHit', by: 1 })),
    closeButton(dispatch),
  );
}
