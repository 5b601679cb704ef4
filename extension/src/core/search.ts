/**
 * Finding ops, variables and lines by what they are called. All that is found is columns: a loop may
 * compute a name a million times, and only the results that are listed are put into words.
 */
import { NodeKind } from './graph.js';
import type { Graph } from './graph.js';
import type { Model } from './model.js';
import { Kind } from './schema.js';
import { labelOf, stateAt, stepForFrame } from './stepstate.js';
import { foldsIn } from './folded.js';
import { revealed, revealedFold } from './foldactions.js';
import type { State } from './state.js';

/** What was found: nodes that hold a value of the learner, layers, nodes of ops, and lines that ran. */
export interface Hits {
  readonly variables: readonly number[];
  readonly layers: readonly Layer[];
  readonly ops: readonly number[];
  readonly lines: readonly Line[];
  readonly count: number;
}

/** The call of a module: its fold, and its name after those of the modules around it. */
export interface Layer {
  readonly fold: number;
  readonly path: string;
  readonly size: number;
}

/** A line of source, and the first frame that ran in it. */
export interface Line {
  readonly source: number;
  readonly line: number;
  readonly text: string;
  readonly frame: number;
}

const NOTHING: Hits = { variables: [], layers: [], ops: [], lines: [], count: 0 };

const linesOf = new WeakMap<Graph, readonly Line[]>();

/** For each span the first frame that it is the code of, or a call around it; else -1. */
function firstFrames({ graph, recording }: Model): Int32Array {
  const { groups } = recording.header;
  const first = new Int32Array(recording.spanCount).fill(-1);
  for (let frame = graph.frameCount - 1; frame >= 0; frame--) {
    const event = graph.frameEvent[frame]!;
    const span = recording.eventSpan(event);
    if (span >= 0) first[span] = frame;
    if (recording.kinds[event] !== Kind.Ran) continue;
    let group = groups[recording.fields[recording.starts[event]! + 1]!];
    for (; group; group = groups[group.parent]) if (group.span >= 0) first[group.span] = frame;
  }
  return first;
}

/** Every line in which something ran, in the order of the sources. */
function linesIn(model: Model): readonly Line[] {
  const { graph, recording } = model;
  const known = linesOf.get(graph);
  if (known) return known;
  const frames = recording.header.sources.map(() => new Map<number, number>());
  firstFrames(model).forEach((frame, at) => {
    const span = frame < 0 ? null : recording.span(at);
    const lines = span && frames[span.source];
    if (lines) lines.set(span.line, Math.min(frame, lines.get(span.line) ?? frame));
  });
  const lines = recording.header.sources.flatMap(({ text, first_line }, source) =>
    text.split('\n').flatMap((words, at): Line[] => {
      const frame = frames[source]!.get(first_line + at);
      return frame === undefined
        ? []
        : [{ source, line: first_line + at, text: words.trim(), frame }];
    }),
  );
  linesOf.set(graph, lines);
  return lines;
}

/** The layers that a query names: by their own names, or with a slash by their paths. */
function layersBy(model: Model, wanted: string): Layer[] {
  const folds = foldsIn(model);
  const paths: string[] = [];
  return folds.parent.flatMap((around, fold): Layer[] => {
    const group = folds.groups[folds.group[fold]!];
    const outer = paths[around] ?? '';
    paths[fold] = group?.kind === 'module' ? outer + (outer && '/') + group.name : outer;
    const named = wanted.includes('/') ? paths[fold] : (group?.name ?? '');
    return group?.kind === 'module' && named.toLowerCase().includes(wanted)
      ? [{ fold, path: paths[fold], size: folds.size[fold]! }]
      : [];
  });
}

function find(model: Model, query: string): Hits {
  const { graph, recording } = model;
  const wanted = query.trim().toLowerCase();
  if (!wanted) return NOTHING;
  const known = new Map<string, boolean>();
  const has = (text: string): boolean => {
    let found = known.get(text);
    if (found === undefined) known.set(text, (found = text.toLowerCase().includes(wanted)));
    return found;
  };
  const opFound = recording.header.ops.map(({ name, title, glyph }) =>
    [name, title, glyph].some(has),
  );
  const [variables, ops]: [number[], number[]] = [[], []];
  for (let node = 0; node < graph.nodeCount; node++) {
    const event = graph.nodeEvent[node]!;
    const ran = event >= 0 && recording.kinds[event] === Kind.Ran;
    // The op of `Ran`, straight from its column: there may be a million.
    const byOp = ran && opFound[recording.fields[recording.starts[event]!]!];
    if (!byOp && !has(labelOf(model, node))) continue;
    (graph.nodeKind[node] === NodeKind.Variable ? variables : ops).push(node);
  }
  const number = /^(?:line )?:?(\d+)$/.exec(wanted)?.[1];
  const lines = linesIn(model).filter(({ line, text }) => has(text) || String(line) === number);
  const layers = layersBy(model, wanted);
  const found = variables.length + layers.length + ops.length + lines.length;
  return { variables, layers, ops, lines, count: found };
}

let last: { graph: Graph; query: string; hits: Hits } | null = null;

/** What a query finds in a tape. */
export function hitsOf(model: Model, query: string): Hits {
  if (last?.graph !== model.graph || last.query !== query) {
    last = { graph: model.graph, query, hits: find(model, query) };
  }
  return last.hits;
}

/** The node of a hit, or else its layer, or its line. */
export function hitAt(
  { variables, layers, ops, lines }: Hits,
  at: number,
): number | Layer | Line | null {
  const afterVariables = at - variables.length;
  const afterLayers = afterVariables - layers.length;
  const afterOps = afterLayers - ops.length;
  return variables[at] ?? layers[afterVariables] ?? ops[afterLayers] ?? lines[afterOps] ?? null;
}

/** Go to what was found there: its frame where it has one, in the phase where the learner is. */
export function goToHit(state: State, at: number): State {
  const { model } = state;
  const hits = hitsOf(model, state.query);
  if (!hits.count) return state;
  const hit = (at + hits.count) % hits.count;
  const found = hitAt(hits, hit)!;
  const { frameNode, nodeFrame } = model.graph;
  const layer = typeof found === 'object' && 'fold' in found ? found : null;
  const line = typeof found === 'object' && 'frame' in found ? found : null;
  const node = layer
    ? foldsIn(model).last[layer.fold]!
    : line
      ? frameNode[line.frame]!
      : (found as number);
  const frame = line ? line.frame : nodeFrame[node]!;
  const predicting = state.predicting === 'off' ? 'off' : 'on';
  const there: State = { ...state, hit, overlay: 'hits', view: 'tape', playing: false, predicting };
  const shown = layer ? revealedFold(there, layer.fold) : node < 0 ? there : revealed(there, node);
  return frame < 0
    ? { ...shown, selected: node }
    : { ...shown, selected: -1, step: stepForFrame(model, stateAt(model, state.step), frame) };
}

/** Mark the next result of the list, or the one before. */
export function markHit(state: State, by: 1 | -1): State {
  const { count } = hitsOf(state.model, state.query);
  return count ? { ...state, hit: (state.hit + by + count) % count } : state;
}
