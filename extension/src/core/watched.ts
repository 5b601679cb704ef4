import { NodeKind } from './graph.js';
import type { Graph } from './graph.js';
import { groupsOf } from './groups.js';
import type { Model } from './model.js';
import { isWhole } from './numbers.js';
import { labelOf } from './stepstate.js';
import { Kind, Role } from './schema.js';
import { say } from './words.js';

/** A tape inside that watches it, too, and since which step. */
export interface Inside {
  readonly tape: string;
  readonly step: number;
}

/** Something that the tape watches. */
export interface Watched {
  readonly name: string;
  /** The modules of the op that reads it first, the outermost first; '' where its name is alone. */
  readonly modules: string;
  readonly node: number;
  /** The step since when, or -1 where it has no frame of its own. */
  readonly step: number;
  readonly how: string;
  readonly inside: readonly Inside[];
}

/** Something that it might have watched, and why it did not. */
export interface Unwatched {
  readonly name: string;
  readonly node: number;
  readonly why: string;
  readonly inside: readonly Inside[];
}

const howWatched = (how: number): string =>
  how === 1 ? say('a variable, by its first read') : say('by `tape.watch`');

/** Who is watched and who is not; found once for a recording. */
export interface Watching {
  readonly watched: readonly Watched[];
  readonly unwatched: readonly Unwatched[];
}

const known = new WeakMap<Graph, Watching>();

/** Who is watched since when, and who is not and why. */
export function watchingOf(model: Model): Watching {
  let found = known.get(model.graph);
  if (!found) {
    const inside = insideOf(model);
    const watched = watchedOf(model, inside);
    known.set(model.graph, (found = { watched, unwatched: unwatchedOf(model, watched, inside) }));
  }
  return found;
}

/** By what something is known that is watched: all states of a variable are one. */
function keyOf({ recording }: Model, tensor: number): number {
  const { variable } = recording.tensor(tensor);
  return variable >= 0 ? -1 - variable : tensor;
}

type InsideOf = ReadonlyMap<number, readonly Inside[]>;

/** The tapes inside that watch something, by what is watched. */
function insideOf(model: Model): InsideOf {
  const found = new Map<number, Inside[]>();
  const { frameEvent, frameCount, frameNode, nodeOfTensor } = model.graph;
  for (const { name, watched = [] } of model.recording.header.nested ?? []) {
    for (const [tensor, event] of watched) {
      if (isWhole(model.recording.tensor(tensor).dtype)) continue;
      let frame = 0;
      while (frame < frameCount && frameEvent[frame]! < event) frame++;
      if (frameNode[frame - 1] === nodeOfTensor[tensor]) frame--;
      const key = keyOf(model, tensor);
      const tapes = found.get(key) ?? [];
      if (tapes.some(({ tape }) => tape === name)) continue;
      found.set(key, [...tapes, { tape: name, step: frame + 1 }]);
    }
  }
  return found;
}

/** Who is watched, in the order in which it came to be. */
function watchedOf(model: Model, inside: InsideOf): Watched[] {
  const { recording, graph } = model;
  const found = new Map<number, Watched>();
  recording.kinds.forEach((kind, index) => {
    const event = kind === Kind.Watched ? recording.event(index) : null;
    if (event?.kind !== Kind.Watched) return;
    const node = graph.nodeOfTensor[event.tensor]!;
    const { dtype } = recording.tensor(event.tensor);
    const key = keyOf(model, event.tensor);
    if (node < 0 || found.has(key) || isWhole(dtype)) return;
    const step = graph.nodeFrame[node]! + 1;
    const [name, how] = [labelOf(model, node), howWatched(event.how)];
    found.set(key, { name, modules: '', node, step, how, inside: inside.get(key) ?? [] });
  });
  return apart(model, [...found.values()]);
}

/** The same, each with its modules where another has the same name. */
function apart(model: Model, watched: readonly Watched[]): Watched[] {
  const count = new Map<string, number>();
  for (const { name } of watched) count.set(name, (count.get(name) ?? 0) + 1);
  const modules = watched.length > count.size ? modulesOf(model) : () => '';
  return watched.map((each) =>
    count.get(each.name)! > 1 ? { ...each, modules: modules(each.node) } : each,
  );
}

/** In which modules a node is read for the first time. */
function modulesOf({ graph, recording }: Model): (node: number) => string {
  const { rows, ofNode } = groupsOf(recording, graph);
  const reader = new Map<number, number>();
  for (let edge = graph.edgeCount - 1; edge >= 0; edge--) {
    const from = graph.edgeFrom[edge]!;
    if (graph.nodeWatched[from]) reader.set(from, graph.edgeTo[edge]!);
  }
  return (node) => {
    const names: string[] = [];
    for (let at = ofNode[reader.get(node) ?? node]!; at >= 0; at = rows[at]!.parent)
      if (rows[at]!.kind === 'module') names.unshift(rows[at]!.name);
    return names.join(' › ');
  };
}

function whyVariable(model: Model, variable: number): string {
  const { header } = model.recording;
  const { trainable } = header.variables[variable]!;
  if (!trainable) return say('It is not trainable, so reading it does not watch it.');
  if (!header.tape.watch_accessed_variables) {
    return say('This tape watches no variable by itself.');
  }
  return say('It was not read while the tape recorded.');
}

function whyConstant(dtype: string): string {
  return isWhole(dtype) || dtype === 'bool' || dtype === 'string'
    ? say(
        'Integers, booleans and strings cannot change by a small amount, so there is nothing to watch.',
      )
    : say('A tensor is watched only where `tape.watch` asks for it.');
}

/** Who takes part without being watched: variables, and tensors that have a name. */
function unwatchedOf(model: Model, watched: readonly Watched[], inside: InsideOf): Unwatched[] {
  const { recording, graph } = model;
  const seen = new Set(watched.map(({ node }) => node));
  const variables = new Set(
    watched.map(({ node }) => recording.tensor(graph.nodeTensor[node]!).variable),
  );
  const found = new Map<string, Unwatched>();
  for (let node = 0; node < graph.nodeCount; node++) {
    const kind = graph.nodeKind[node];
    const tensor = graph.nodeTensor[node]!;
    if (seen.has(node) || tensor < 0 || (kind !== NodeKind.Variable && kind !== NodeKind.Constant))
      continue;
    const { role, variable, named, dtype } = recording.tensor(tensor);
    if (role === Role.State ? variables.has(variable) : !named) continue;
    const name = labelOf(model, node);
    const why = role === Role.State ? whyVariable(model, variable) : whyConstant(dtype);
    const by = inside.get(keyOf(model, tensor)) ?? [];
    if (!found.has(name)) found.set(name, { name, node, why, inside: by });
  }
  return [...found.values()];
}
