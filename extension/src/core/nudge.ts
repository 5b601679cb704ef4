/** A variable whose value is moved, and what the target of the gradient does. */
import type { Model } from './model.js';
import { Role } from './schema.js';
import { arrivalsAt, labelOf, tensorOf } from './stepstate.js';

/** A value of the variable, with the target and its derivative there; null where it has none. */
export interface Place {
  readonly value: number;
  readonly target: number | null;
  readonly derivative: number | null;
}

export interface Nudge {
  readonly node: number;
  readonly tensor: number;
  readonly name: string;
  readonly targetName: string;
  /** Where the value stood when it was first moved, and where it stands now. */
  readonly start: Place;
  readonly now: Place;
  /** All places that it came by. */
  readonly visited: readonly Place[];
}

/** The tensor of a variable that is one number; -1 for any other node. */
export function movableTensor(model: Model, node: number): number {
  const tensor = node < 0 ? null : tensorOf(model, node);
  const single = tensor?.role === Role.State && tensor.values?.length === 1;
  return single && tensor.dtype.startsWith('float') ? tensor.index : -1;
}

const numberIn = (model: Model, tensor: number): number | null => {
  const values = tensor < 0 ? null : model.recording.tensor(tensor).values;
  return values?.length === 1 ? values[0]! : null;
};

/** Where a variable stands in a recording. */
export function placeIn(model: Model, node: number): Place {
  const targets = model.backwardPass?.gradientCall.targets ?? [];
  return {
    value: numberIn(model, model.graph.nodeTensor[node]!)!,
    target: targets.length === 1 ? numberIn(model, targets[0]!) : null,
    derivative: numberIn(model, arrivalsAt(model, node).at(-1)?.sum ?? -1),
  };
}

/** A variable that begins to be moved. */
export function begin(model: Model, node: number): Nudge {
  const place = placeIn(model, node);
  const target = model.graph.nodeOfTensor[model.backwardPass?.gradientCall.targets[0] ?? -1] ?? -1;
  return {
    node,
    tensor: model.graph.nodeTensor[node]!,
    name: labelOf(model, node),
    targetName: target < 0 ? '' : labelOf(model, target),
    start: place,
    now: place,
    visited: [place],
  };
}

/** So many places that a value came by are remembered. */
const REMEMBERED = 400;

/** The nudge after the program has run at another value. */
export function arrive(nudge: Nudge, model: Model): Nudge {
  const now = placeIn(model, nudge.node);
  const visited = [...nudge.visited, now].slice(-REMEMBERED).sort((a, b) => a.value - b.value);
  return { ...nudge, now, visited };
}

/** By how much the tangent at the start says the target moves, and by how much it does move. */
export function comparison({ start, now }: Nudge): { predicted: number; moved: number } | null {
  if (start.target === null || start.derivative === null || now.target === null) return null;
  return {
    predicted: start.derivative * (now.value - start.value),
    moved: now.target - start.target,
  };
}

/** A step of a value: the power of ten that is about a hundredth of it. */
export function unitOf(value: number): number {
  return 10 ** (Math.floor(Math.log10(Math.max(Math.abs(value), 0.1)) + 1e-9) - 1) * 0.5;
}

/** A value on the grid of its unit, so that 0.30000000000000004 is 0.3. */
export function rounded(value: number, unit: number): number {
  return Number((Math.round(value / unit) * unit).toPrecision(9));
}
