import type { Model } from './model.js';
import type { GroupInfo } from './schema.js';
import { labelOf } from './stepstate.js';
import { say } from './words.js';

export enum FoldKind {
  /** The ops of one call of a composite, a module or a function, or in the block of a tape. */
  Composite,
  /** The iterations of a loop. */
  Loop,
  /** Some iterations of a loop that has many. */
  Range,
  /** The ops of one iteration. */
  Iteration,
  /** Some of very many ops in a line. */
  Stretch,
}

/** What of a graph can be folded into one node. Folds lie within each other, the outer first. */
export interface Folds {
  readonly kind: readonly FoldKind[];
  /** The fold around each, or -1. */
  readonly parent: readonly number[];
  /** The first node that ran inside, and the last on the tape; of none on it, the last. */
  readonly first: readonly number[];
  readonly last: readonly number[];
  /** How many ops, or iterations, are inside. */
  readonly size: readonly number[];
  /** Which iteration it is, or begins with, from 1; 0 where it is none. */
  readonly iteration: readonly number[];
  /** The group of a composite, or -1. */
  readonly group: readonly number[];
  readonly groups: readonly GroupInfo[];
  /** The innermost fold of each node, or -1. */
  readonly ofNode: Int32Array;
}

/** At most so many parts of a loop are shown at once; the iterations of longer ones in ranges. */
export const PARTS = 12;
/** A loop that calls one module or function at most so often is shown as its calls. */
export const CALLS = 24;
/** So many items may stand in a line; more are shown in stretches. */
export const MANY = 60;
/** At first so many nodes are shown, if folding can do it. */
const SHOWN = 40;

/** The folds that are open at first: level by level, as long as some dozens of nodes suffice. */
export function openAtFirst({ kind, parent, size, group, groups, ofNode }: Folds): Set<number> {
  const parts = new Int32Array(kind.length);
  let shown = 0;
  for (let node = 0; node < ofNode.length; node++) {
    const fold = ofNode[node]!;
    if (fold < 0) shown++;
    else parts[fold]!++;
  }
  const outside = groups.map((each) => each.kind === 'before' || each.kind === 'after');
  const calm = (fold: number): boolean =>
    !outside[group[fold]!] && (kind[fold] !== FoldKind.Loop || size[fold]! <= PARTS);
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
  const group = folds.groups[folds.group[fold]!];
  return group ? groupName(group) : labelOf(model, folds.last[fold]!);
}

/** What a group is called: the composite, or the call as the user wrote it. */
export function groupName(group: GroupInfo): string {
  if (group.kind === 'before') return say('before the tape');
  if (group.kind === 'after') return say('after the tape');
  return group.arguments === undefined ? group.name : `${group.name}(${group.arguments})`;
}
