import { CALLS, FoldKind, MANY, PARTS } from './folds.js';
import type { Folds } from './folds.js';
import { NodeKind } from './graph.js';
import type { Graph } from './graph.js';
import { groupsOf } from './groups.js';
import type { Groups } from './groups.js';
import type { Recording } from './recording.js';
import { shorten } from './repeats.js';
import type { Level, Repeat } from './repeats.js';
import { Kind } from './schema.js';
import { InputFolder } from './inputfolder.js';

/** What ran at one depth, item by item, and how its repeats shorten it. */
interface Sequence {
  readonly levels: readonly Level[];
  /** Where each item starts in the order of running, and one more: the end. */
  readonly starts: readonly number[];
  /** The composite that an item is, or -1. */
  readonly groups: readonly number[];
  readonly depth: number;
}

/** Where an item of a level starts in the order of running. */
function startOf({ levels, starts }: Sequence, level: number, item: number): number {
  for (let at = level; at > 0; at--) item = levels[at]!.below[item]!;
  return starts[item]!;
}

/** How many groups are around a group. */
function depthOf(rows: Groups['rows'], group: number): number {
  let depth = 0;
  for (let { parent } = rows[group]!; parent >= 0; { parent } = rows[parent]!) depth++;
  return depth;
}

/** What tells a call from others of the same function or class: `_1` of a layer, `[1]` of a list. */
const NUMBER = /_\d+$|\[[^\]]*\]$/;

/** Finds the folds among the nodes that ran, counted in the order of running. */
class Folder implements Folds {
  readonly kind: FoldKind[] = [];
  readonly parent: number[] = [];
  readonly first: number[] = [];
  readonly last: number[] = [];
  readonly size: number[] = [];
  readonly iteration: number[] = [];
  readonly group: number[] = [];
  readonly groups: Groups['rows'];
  readonly ofNode: Int32Array;
  /** The nodes that ran, the innermost group of each (or -1), and what it does and where. */
  private readonly ran: Int32Array;
  private readonly inner: Int32Array;
  private readonly keys: Float64Array;
  private readonly depths: number[] = [];
  private readonly names = new Map<string, number>();

  constructor(
    recording: Recording,
    private readonly graph: Graph,
  ) {
    const { rows, ofNode } = groupsOf(recording, graph);
    const { nodeCount, nodeEvent } = graph;
    const { kinds, fields, starts, spanCount } = recording;
    this.groups = rows;
    this.ofNode = new Int32Array(nodeCount).fill(-1);
    this.ran = new Int32Array(nodeCount);
    this.inner = new Int32Array(nodeCount).fill(-1);
    this.keys = new Float64Array(nodeCount);
    let count = 0;
    for (let node = 0; node < nodeCount; node++) {
      const event = nodeEvent[node]!;
      if (event < 0) continue;
      const ran = kinds[event] === Kind.Ran;
      const start = starts[event]!;
      const op = ran ? fields[start]! : -1;
      this.keys[count] = (op + 1) * (spanCount + 1) + recording.eventSpan(event) + 1;
      this.inner[count] = ofNode[node]!;
      this.ran[count++] = node;
    }
    rows.forEach((_, group) => this.depths.push(depthOf(rows, group)));
    this.fill(-1, 0, count, 0);
  }

  /** The group, `depth` deep, in which a node ran; or -1. */
  private groupOf(at: number, depth: number): number {
    let group = this.inner[at]!;
    while (group >= 0 && this.depths[group]! > depth) group = this.groups[group]!.parent;
    return group >= 0 && this.depths[group] === depth ? group : -1;
  }

  /** Items with the same key do the same at the same place in the code. */
  private keyOf(at: number, group: number): number {
    if (group < 0) return this.keys[at]!;
    const { name, span } = this.groups[group]!;
    const called = `${name.replace(NUMBER, '')} ${span}`;
    const known = this.names.get(called) ?? -1 - this.names.size;
    this.names.set(called, known);
    return known;
  }

  private add(
    kind: FoldKind,
    parent: number,
    start: number,
    end: number,
    size: number,
    iteration: number,
    group = -1,
  ): number {
    const fold = this.kind.push(kind) - 1;
    if (kind !== FoldKind.Loop && kind !== FoldKind.Range) this.mark(start, end, fold);
    this.parent.push(parent);
    this.first.push(this.ran[start]!);
    this.last.push(this.lastOf(start, end));
    this.size.push(size);
    this.iteration.push(iteration);
    this.group.push(group);
    return fold;
  }

  /** The last node on the tape, whose value goes on, whatever was done off it afterwards. */
  private lastOf(start: number, end: number): number {
    for (let at = end; at-- > start;) {
      if (this.graph.nodeKind[this.ran[at]!] === NodeKind.Op) return this.ran[at]!;
    }
    return this.ran[end - 1]!;
  }

  private mark(start: number, end: number, fold: number): void {
    for (let at = start; at < end; at++) this.ofNode[this.ran[at]!] = fold;
  }

  /** Fold a stretch of what ran, `depth` composites deep. */
  private fill(parent: number, start: number, end: number, depth: number): void {
    const sequence = this.sequence(start, end, depth);
    const top = sequence.levels.length - 1;
    this.line(sequence, top, parent, 0, sequence.levels[top]!.keys.length);
  }

  /** Add the folds of items in a line: in stretches, if they are very many. */
  private line(sequence: Sequence, level: number, parent: number, from: number, to: number): void {
    let width = 1;
    while (to - from > MANY && to - from > width * PARTS) width *= 10;
    for (let item = from; item < to; item += width) {
      const end = Math.min(to, item + width);
      if (end === item + 1) this.unfold(sequence, level, item, parent, 0);
      else {
        const [first, last] = [startOf(sequence, level, item), startOf(sequence, level, end)];
        const stretch = this.add(FoldKind.Stretch, parent, first, last, last - first, 0);
        this.line(sequence, level, stretch, item, end);
      }
    }
  }

  private sequence(start: number, end: number, depth: number): Sequence {
    const starts: number[] = [];
    const groups: number[] = [];
    const keys = new Int32Array(end - start);
    const known = new Map<number, number>();
    for (let at = start; at < end;) {
      const from = at++;
      const group = this.groupOf(from, depth);
      while (group >= 0 && at < end && this.groupOf(at, depth) === group) at++;
      const folded = at - from > 1 ? group : -1;
      const key = this.keyOf(from, folded);
      let number = known.get(key);
      if (number === undefined) known.set(key, (number = known.size));
      keys[starts.length] = number;
      starts.push(from);
      groups.push(folded);
    }
    const levels = shorten(keys.subarray(0, starts.length));
    starts.push(end);
    return { levels, starts, groups, depth };
  }

  /** Add the folds of an item, if it has any. */
  private unfold(
    sequence: Sequence,
    level: number,
    item: number,
    parent: number,
    iteration: number,
  ): void {
    const { repeats, below } = sequence.levels[level]!;
    const repeat = level ? repeats.get(item) : undefined;
    if (!repeat && level) return this.unfold(sequence, level - 1, below[item]!, parent, iteration);
    const group = sequence.groups[item]!;
    if (!repeat && group < 0) return;
    const start = startOf(sequence, level, item);
    const end = startOf(sequence, level, item + 1);
    if (repeat && this.isFewCalls(sequence, level - 1, repeat)) {
      const { start: begin, count } = repeat;
      for (let at = 0; at < count; at++) this.unfold(sequence, level - 1, begin + at, parent, 0);
    } else if (repeat) {
      const loop = this.add(FoldKind.Loop, parent, start, end, repeat.count, iteration);
      this.unroll(sequence, level - 1, repeat, loop, 1, repeat.count);
    } else {
      const fold = this.add(FoldKind.Composite, parent, start, end, end - start, iteration, group);
      this.fill(fold, start, end, sequence.depth + 1);
    }
  }

  /** Whether a loop only calls one module or function, so few times that each call can be shown. */
  private isFewCalls(sequence: Sequence, level: number, { start, period, count }: Repeat): boolean {
    let item = start;
    for (; level > 0; level--) {
      if (sequence.levels[level]!.repeats.has(item)) return false;
      item = sequence.levels[level]!.below[item]!;
    }
    const group = this.groups[sequence.groups[item]!];
    return period === 1 && count <= CALLS && !!group?.kind;
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
    const { start: begin, period } = repeat;
    let width = 1;
    while (last - first >= width * PARTS) width *= 10;
    for (let iteration = first; iteration <= last; iteration += width) {
      const until = Math.min(last, iteration + width - 1);
      const from = begin + (iteration - 1) * period;
      const to = begin + until * period;
      const start = startOf(sequence, level, from);
      const end = startOf(sequence, level, to);
      if (until > iteration) {
        const range = this.add(
          FoldKind.Range,
          parent,
          start,
          end,
          until - iteration + 1,
          iteration,
        );
        this.unroll(sequence, level, repeat, range, iteration, until);
      } else if (period === 1) {
        this.mark(start, end, parent);
        this.unfold(sequence, level, from, parent, iteration);
      } else {
        const fold = this.add(FoldKind.Iteration, parent, start, end, end - start, iteration);
        for (let item = from; item < to; item++) this.unfold(sequence, level, item, fold, 0);
      }
    }
  }
}

/** What of a recording can be folded: composites, and loops by what repeats itself. */
export function foldsOf(recording: Recording, graph: Graph): Folds {
  const folds = new Folder(recording, graph);
  new InputFolder(recording, graph, folds).all();
  return folds;
}
