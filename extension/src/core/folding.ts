import { NodeKind } from './graph.js';
import type { Graph } from './graph.js';
import type { Model } from './model.js';
import { labelOf } from './picture.js';
import type { Recording } from './recording.js';
import { LEAST, shorten } from './repeats.js';
import type { Level, Repeat } from './repeats.js';
import { Kind } from './schema.js';

export enum FoldKind {
  /** The ops of one call of a composite, such as softmax or a layer. */
  Composite,
  /** The iterations of a loop. */
  Loop,
  /** Some iterations of a loop that has many. */
  Range,
  /** The ops of one iteration. */
  Iteration,
}

/** What of a graph can be folded into one node. Folds lie within each other, the outer first. */
export interface Folds {
  readonly kind: readonly FoldKind[];
  /** The fold around each, or -1. */
  readonly parent: readonly number[];
  /** The first and the last node that ran inside. */
  readonly first: readonly number[];
  readonly last: readonly number[];
  /** How many ops, or iterations, are inside. */
  readonly size: readonly number[];
  /** Which iteration it is, or begins with, from 1; 0 where it is none. */
  readonly turn: readonly number[];
  /** The group of a composite, or -1. */
  readonly group: readonly number[];
  /** The innermost fold of each node, or -1. */
  readonly ofNode: Int32Array;
}

/** At most so many parts of a loop are shown at once; the iterations of longer ones in ranges. */
const PARTS = 12;
/** At first so many nodes are shown, if folding can do it. */
const SHOWN = 40;

/** What ran at one depth, item by item, and how its repeats shorten it. */
interface Sequence {
  readonly levels: readonly Level[];
  /** Where each item starts in the order of running, and one more: the end. */
  readonly starts: readonly number[];
  /** The composite that an item is, or -1. */
  readonly groups: readonly number[];
  readonly depth: number;
}

type Stretch = readonly [start: number, end: number];

function stretchOf(sequence: Sequence, level: number, from: number, to: number): Stretch {
  const down = (item: number): number => {
    for (let at = level; at > 0; at--) item = sequence.levels[at]!.below[item]!;
    return sequence.starts[item]!;
  };
  return [down(from), down(to)];
}

/** Finds the folds among the nodes that ran, counted in the order of running. */
class Folder implements Folds {
  readonly kind: FoldKind[] = [];
  readonly parent: number[] = [];
  readonly first: number[] = [];
  readonly last: number[] = [];
  readonly size: number[] = [];
  readonly turn: number[] = [];
  readonly group: number[] = [];
  readonly ofNode: Int32Array;
  private readonly ran: number[] = [];
  private readonly depths: number[] = [];

  constructor(
    private readonly recording: Recording,
    private readonly graph: Graph,
  ) {
    this.ofNode = new Int32Array(graph.nodeCount).fill(-1);
    for (let node = 0; node < graph.nodeCount; node++) {
      if (graph.nodeEvent[node]! >= 0) this.ran.push(node);
    }
    for (const { parent } of recording.header.groups) {
      this.depths.push(parent < 0 ? 0 : this.depths[parent]! + 1);
    }
    this.fill(-1, [0, this.ran.length], 0);
    this.takeIn();
  }

  private field(at: number, offset: number): number {
    const { kinds, fields, starts } = this.recording;
    const event = this.graph.nodeEvent[this.ran[at]!]!;
    return kinds[event] === Kind.Ran ? fields[starts[event]! + offset]! : -1;
  }

  /** The composite, `depth` deep, in which a node ran; or -1. */
  private groupOf(at: number, depth: number): number {
    let group = this.field(at, 1);
    while (group >= 0 && this.depths[group]! > depth) {
      group = this.recording.header.groups[group]!.parent;
    }
    return group >= 0 && this.depths[group] === depth ? group : -1;
  }

  /** Items with the same key do the same at the same place in the code. */
  private keyOf(at: number, group: number): string | number {
    if (group < 0) {
      const span = this.recording.eventSpan(this.graph.nodeEvent[this.ran[at]!]!);
      return (this.field(at, 0) + 2) * 2 ** 31 + span;
    }
    const { name, span } = this.recording.header.groups[group]!;
    return `${name.replace(/_\d+$/, '')} ${span}`;
  }

  private add(
    kind: FoldKind,
    parent: number,
    [start, end]: Stretch,
    size: number,
    turn: number,
    group = -1,
  ): number {
    const fold = this.kind.push(kind) - 1;
    if (kind === FoldKind.Composite || kind === FoldKind.Iteration) this.mark([start, end], fold);
    this.parent.push(parent);
    this.first.push(this.ran[start]!);
    this.last.push(this.ran[end - 1]!);
    this.size.push(size);
    this.turn.push(turn);
    this.group.push(group);
    return fold;
  }

  private mark([start, end]: Stretch, fold: number): void {
    for (let at = start; at < end; at++) this.ofNode[this.ran[at]!] = fold;
  }

  /** Fold a stretch of what ran, `depth` composites deep. */
  private fill(parent: number, [start, end]: Stretch, depth: number): void {
    const [starts, groups, keys]: [number[], number[], number[]] = [[], [], []];
    const known = new Map<string | number, number>();
    for (let at = start; at < end;) {
      const from = at++;
      const group = this.groupOf(from, depth);
      while (group >= 0 && at < end && this.groupOf(at, depth) === group) at++;
      const folded = at - from > 1 ? group : -1;
      const key = this.keyOf(from, folded);
      if (!known.has(key)) known.set(key, known.size);
      starts.push(from);
      groups.push(folded);
      keys.push(known.get(key)!);
    }
    starts.push(end);
    const levels = shorten(Int32Array.from(keys));
    const top = levels.length - 1;
    const sequence = { levels, starts, groups, depth };
    for (let item = 0; item < levels[top]!.keys.length; item++) {
      this.unfold(sequence, top, item, parent, 0);
    }
  }

  /** Add the folds of an item, if it has any. */
  private unfold(
    sequence: Sequence,
    level: number,
    item: number,
    parent: number,
    turn: number,
  ): void {
    const { repeats, below } = sequence.levels[level]!;
    const repeat = repeats.get(item);
    if (!repeat && level) return this.unfold(sequence, level - 1, below[item]!, parent, turn);
    const group = sequence.groups[item]!;
    if (!repeat && group < 0) return;
    const stretch = stretchOf(sequence, level, item, item + 1);
    if (repeat) {
      const loop = this.add(FoldKind.Loop, parent, stretch, repeat.count, turn);
      this.unroll(sequence, level - 1, repeat, loop, 1, repeat.count);
    } else {
      const size = stretch[1] - stretch[0];
      const fold = this.add(FoldKind.Composite, parent, stretch, size, turn, group);
      this.fill(fold, stretch, sequence.depth + 1);
    }
  }

  /** Add the iterations of a loop from `first` to `last`: in ranges, if there are many. */
  private unroll(
    sequence: Sequence,
    level: number,
    repeat: Repeat,
    parent: number,
    first: number,
    last: number,
  ): void {
    const { start, period } = repeat;
    let width = 1;
    while (last - first >= width * PARTS) width *= 10;
    for (let turn = first; turn <= last; turn += width) {
      const until = Math.min(last, turn + width - 1);
      const [from, to] = [start + (turn - 1) * period, start + until * period];
      const stretch = stretchOf(sequence, level, from, to);
      if (until > turn) {
        const range = this.add(FoldKind.Range, parent, stretch, until - turn + 1, turn);
        this.unroll(sequence, level, repeat, range, turn, until);
      } else if (period === 1) {
        this.mark(stretch, parent);
        this.unfold(sequence, level, from, parent, turn);
      } else {
        const size = stretch[1] - stretch[0];
        const fold = this.add(FoldKind.Iteration, parent, stretch, size, turn);
        for (let item = from; item < to; item++) this.unfold(sequence, level, item, fold, 0);
      }
    }
  }

  private around(a: number, b: number): number {
    while (a !== b) {
      if (a > b) a = this.parent[a]!;
      else b = this.parent[b]!;
    }
    return a;
  }

  /** What was there without running goes into the fold in which alone it is used. */
  private takeIn(): void {
    const { edgeFrom, edgeTo, edgeCount, nodeCount, nodeEvent } = this.graph;
    const user = new Int32Array(nodeCount).fill(-1);
    const often = new Uint8Array(nodeCount);
    for (let edge = 0; edge < edgeCount; edge++) {
      const [node, to] = [edgeFrom[edge]!, edgeTo[edge]!];
      if (nodeEvent[node]! >= 0) continue;
      const [fold, before] = [this.ofNode[to]!, user[node]!];
      this.ofNode[node] = before < 0 ? fold : this.around(this.ofNode[node]!, fold);
      if (before >= 0 && before !== to) often[node] = 1;
      user[node] = to;
    }
    const own = new Map<number, number[]>();
    for (let node = 0; node < nodeCount; node++) {
      if (user[node]! < 0 || !this.isTheLearners(node)) continue;
      const fold = this.inOneTurn(this.ofNode[node]!, !often[node]);
      this.ofNode[node] = fold;
      const loop = this.loopAround(fold);
      const others = own.get(loop);
      if (others) others.push(node);
      else own.set(loop, [node]);
    }
    for (const [loop, nodes] of own) {
      if (loop < 0 || nodes.length < LEAST) for (const node of nodes) this.ofNode[node] = -1;
    }
  }

  private loopAround(fold: number): number {
    while (fold >= 0 && this.kind[fold] !== FoldKind.Loop) fold = this.parent[fold]!;
    return fold;
  }

  private isTheLearners(node: number): boolean {
    const { nodeKind, nodeWatched, nodeTensor } = this.graph;
    return (
      nodeKind[node] === NodeKind.Variable ||
      nodeWatched[node]! ||
      this.recording.tensor(nodeTensor[node]!).named
    );
  }

  /** Where the one iteration stands that uses what the learner made; -1 if several do. */
  private inOneTurn(fold: number, once: boolean): number {
    const { kind, parent, turn } = this;
    const many = (at: number): boolean => kind[at] === FoldKind.Loop || kind[at] === FoldKind.Range;
    if (once && fold >= 0 && many(fold)) return fold;
    while (fold >= 0 && (!turn[fold] || kind[fold] === FoldKind.Range)) fold = parent[fold]!;
    return fold < 0 || kind[fold] === FoldKind.Iteration ? fold : parent[fold]!;
  }
}

/** What of a recording can be folded: composites, and loops by what repeats itself. */
export function foldsOf(recording: Recording, graph: Graph): Folds {
  return new Folder(recording, graph);
}

/** The folds that are open at first: level by level, as long as some dozens of nodes suffice. */
export function openAtFirst(folds: Folds): Set<number> {
  const { kind, parent, size, ofNode } = folds;
  const parts = new Int32Array(kind.length);
  let shown = 0;
  for (const fold of ofNode) fold < 0 ? shown++ : parts[fold]!++;
  const calm = (fold: number): boolean => kind[fold] !== FoldKind.Loop || size[fold]! <= PARTS;
  let [level, next]: [number[], number[]] = [[], []];
  parent.forEach((around, fold) => {
    if (around >= 0) parts[around]!++;
    else level.push(fold);
  });
  shown += level.length;
  const open = new Set<number>();
  for (; level.length; level = next) {
    const opened = level.filter(calm);
    shown += opened.reduce((sum, fold) => sum + parts[fold]! - 1, 0);
    if (!opened.length || shown > SHOWN) break;
    for (const fold of opened) open.add(fold);
    next = [];
    parent.forEach((around, fold) => {
      if (opened.includes(around)) next.push(fold);
    });
  }
  return open;
}

/** For each fold the outermost closed one that hides it, or -1 where it is open. */
export function hiddenBy(folds: Folds, open: ReadonlySet<number>): Int32Array {
  const hidden = new Int32Array(folds.kind.length);
  folds.parent.forEach((around, fold) => {
    const outer = around < 0 ? -1 : hidden[around]!;
    hidden[fold] = outer >= 0 ? outer : open.has(fold) ? -1 : fold;
  });
  return hidden;
}

/** What a fold is called: the composite, or what each iteration of a loop ends with. */
export function foldName(model: Model, folds: Folds, fold: number): string {
  const group = model.recording.header.groups[folds.group[fold]!];
  return group?.name ?? labelOf(model, folds.last[fold]!);
}
