/** What the view of entries shows: the tensors of one op, and what one entry of them is made of. */
import type { Tone } from './appearance.js';
import { inputsOf } from './equations.js';
import { coordinatesOf } from './indexmaps.js';
import type { Shape } from './indexmaps.js';
import type { Flowed, Model } from './model.js';
import type { Recording } from './recording.js';
import { Kind } from './schema.js';
import type { Settings, TensorInfo } from './schema.js';
import type { Entry, State } from './state.js';
import { labelOf, opOf } from './stepstate.js';
import type { StepState } from './stepstate.js';
import { cellAt, entriesOf, gridOf } from './tensorgrid.js';
import type { Grid } from './tensorgrid.js';
import { derivativesOf, tensorRule, termsAt } from './tensorrules.js';
import type { Term, TensorRule } from './tensorrules.js';

/** Stands for the result of an op, where other numbers stand for its inputs. */
export const RESULT = -1;
/** More terms than these are not listed. */
const MOST_TERMS = 4096;

/** A tensor as it is drawn. */
export interface Figure {
  readonly label: string;
  readonly isGradient: boolean;
  readonly tone: Tone;
  readonly tensor: TensorInfo;
  readonly grid: Grid;
  readonly transposed: boolean;
  /** The cells that belong to the entry, and that of the entry itself, or -1. */
  readonly lit: ReadonlySet<number>;
  readonly pointed: number;
  /** Which of its entries belong to the entry, such as `[1, :]`. */
  readonly pattern: string;
}

/** One summand: numbers that are multiplied; a number that is not known is NaN. */
export type Summand = readonly number[];

export interface EntriesView {
  readonly node: number;
  readonly label: string;
  readonly target: number;
  /** What else can be looked at: the result and the gradients that have come back so far. */
  readonly targets: readonly { readonly target: number; readonly label: string }[];
  /** The last one is the target; its entries are made of those of the others. */
  readonly figures: readonly Figure[];
  readonly isMatrixProduct: boolean;
  readonly entry: Entry;
  /** The summands of the pointed entry of the target; null while another entry is pointed at. */
  readonly summands: readonly Summand[] | null;
  readonly scale: number;
  readonly isSum: boolean;
  /** The derivatives that the summands are weighted by, where they are a row of the Jacobian. */
  readonly derivatives: readonly number[] | null;
  readonly termCount: number;
  readonly isCut: boolean;
  readonly isRounded: boolean;
  readonly value: number;
}

const settingRows = new WeakMap<Recording, ReadonlyMap<number, Settings>>();
const NONE: Settings = {};

/** What the op of an event was given beside its inputs. */
export function settingsOf(recording: Recording, event: number): Settings {
  let known = settingRows.get(recording);
  if (!known) {
    const { events, rows } = recording.given;
    const listed = recording.header.settings ?? [];
    known = new Map(Array.from(events, (each, at) => [each, listed[rows[at]!] ?? NONE]));
    settingRows.set(recording, known);
  }
  return known.get(event) ?? NONE;
}

/** The rule of the op of a node, with the tensors that it took and gave. */
interface Ruled {
  readonly rule: TensorRule;
  readonly inputs: readonly TensorInfo[];
  readonly result: TensorInfo;
}

const ruled = new WeakMap<Recording, Map<number, Ruled | null>>();

function ruleOf(model: Model, node: number): Ruled | null {
  const { graph, recording } = model;
  let known = ruled.get(recording);
  if (!known) ruled.set(recording, (known = new Map()));
  let found = known.get(node);
  if (found === undefined) known.set(node, (found = findRule()));
  return found;

  function findRule(): Ruled | null {
    const event = graph.nodeEvent[node] ?? -1;
    const op = opOf(model, node);
    const ran = event < 0 ? null : recording.event(event);
    if (!op || ran?.kind !== Kind.Ran) return null;
    const inputs = Array.from(ran.inputs, (input) => recording.tensor(input));
    const tensor = graph.nodeTensor[node]!;
    const result = recording.tensor(tensor);
    const rule = tensorRule(op, {
      settings: settingsOf(recording, event),
      inputs: inputs.map(({ shape }) => shape),
      result: result.shape,
      output: ran.outputs.indexOf(tensor),
      chosen: (input) => inputs[input]!.values,
    });
    const several = [result, ...inputs].some(({ shape }) => shape.some((size) => size > 1));
    return rule && several ? { rule, inputs, result } : null;
  }
}

/** The first ops of a recording whose entries can be looked at. */
export function nodesWithEntries(model: Model, most: number): number[] {
  const found: number[] = [];
  for (let node = 0; node < model.graph.nodeCount && found.length < most; node++) {
    if (ruleOf(model, node)) found.push(node);
  }
  return found;
}

const sameShape = (a: Shape, b: Shape): boolean => String(a) === String(b);

/** The steps that have gone back through a node, by the position of the input they went to. */
function flowsThrough(model: Model, current: StepState, node: number): Map<number, Flowed> {
  const { backwardPass, graph, recording } = model;
  const flows = new Map<number, Flowed>();
  if (!backwardPass) return flows;
  for (let edge = graph.firstEdge[node]!; edge < graph.firstEdge[node + 1]!; edge++) {
    const flow = backwardPass.flowOfEdge[edge]!;
    if (flow < 0 || flow >= current.backwardSteps) continue;
    const event = recording.event(backwardPass.flows[flow]!);
    if (event.kind === Kind.Flowed && event.contribution >= 0) flows.set(event.position, event);
  }
  return flows;
}

/** Which entries several places are, such as `[0, 2:5, :]`. */
export function patternOf(shape: Shape, places: readonly number[]): string {
  if (!shape.length || !places.length) return '';
  const all = places.map((place) => coordinatesOf(shape, place));
  const parts = shape.map((size, axis) => {
    const [low, high] = all.reduce(
      ([low, high], at) => [Math.min(low, at[axis]!), Math.max(high, at[axis]!)],
      [Infinity, -Infinity],
    );
    if (low === high) return String(low);
    return high - low + 1 === size ? ':' : `${low}:${high + 1}`;
  });
  return `[${parts.join(', ')}]`;
}

/** The entry that is farthest from 0, where that is known. */
function largestEntry({ at }: { at(place: number): number }, tensor: TensorInfo): number {
  let [most, place] = [-1, 0];
  const size = tensor.shape.reduce((product, length) => product * length, 1);
  for (let each = 0; each < Math.min(size, MOST_TERMS); each++) {
    if (Math.abs(at(each)) > most) [most, place] = [Math.abs(at(each)), each];
  }
  return place;
}

/** A tensor before it is known what of it belongs to the entry. */
interface Drawn extends Pick<Figure, 'label' | 'isGradient' | 'tone' | 'tensor'> {
  /** Whose places it has: those of the result, or of an input. */
  readonly of: number;
  readonly transposed?: boolean;
}

const placeIn = ({ part, result, places }: Term, of: number): number =>
  of === RESULT ? result : (places[part.factors.findIndex(({ input }) => input === of)] ?? -1);

/** The tensors of an op as its result is computed, or as a gradient passes through it. */
function tensorsOf(
  model: Model,
  node: number,
  { rule, inputs, result }: Ruled,
  flow: Flowed | null,
): Drawn[] {
  const names = inputsOf(model, node).map((input) => labelOf(model, input));
  const label = labelOf(model, node);
  const [turnA, turnB] = rule.transposed ?? [false, false];
  const value = (of: number, transposed = false): Drawn => ({
    of,
    label: of === RESULT ? label : (names[of] ?? ''),
    isGradient: false,
    tone: 'v',
    tensor: of === RESULT ? result : inputs[of]!,
    transposed,
  });
  const used = new Set(rule.parts.flatMap(({ factors }) => factors.map(({ input }) => input)));
  if (!flow) {
    const operands = [...used].map((input) => value(input, input ? turnB : turnA));
    return [...operands, value(RESULT)];
  }
  const gradient = (of: number, tensor: number, transposed = false): Drawn => ({
    ...value(of, transposed),
    isGradient: true,
    tone: 'g',
    tensor: model.recording.tensor(tensor),
  });
  const { position, local } = flow;
  const upstream = gradient(RESULT, flow.upstream);
  const own = gradient(position, flow.contribution, position ? turnB : turnA);
  if (rule.how === 'local') {
    const derivative = { ...value(RESULT), label: `∂${label}/∂${names[position]}` };
    const shown = local >= 0 && { ...derivative, tensor: model.recording.tensor(local) };
    return shown && sameShape(shown.tensor.shape, result.shape)
      ? [upstream, shown, own]
      : [upstream, own];
  }
  if (rule.how !== 'product') {
    return [upstream, value(rule.from === 'result' ? RESULT : (rule.from ?? 0)), own];
  }
  const others = [...used]
    .filter((input) => input !== position && rule.parts.some(({ factors }) => factors.length > 1))
    .map((input) => value(input, rule.transposed ? !(input ? turnB : turnA) : false));
  return position && rule.transposed ? [...others, upstream, own] : [upstream, ...others, own];
}

/** What is to be seen of the entries of the op at hand; null where there is no rule for it. */
export function entriesView(state: State, current: StepState): EntriesView | null {
  const { model, selected, entry: pointed } = state;
  const { recording } = model;
  const node = selected >= 0 ? selected : current.through >= 0 ? current.through : current.node;
  const found = node < 0 ? null : ruleOf(model, node);
  if (!found) return null;
  const { rule, inputs, result } = found;
  const flows = flowsThrough(model, current, node);
  for (const [position, { upstream, contribution }] of flows) {
    const [from, to] = [upstream, contribution].map((each) => recording.tensor(each).shape);
    const factors = rule.parts.flatMap(({ factors }) => factors.map(({ input }) => input));
    const fits = sameShape(from!, result.shape) && sameShape(to!, inputs[position]!.shape);
    if (!fits || !factors.includes(position)) flows.delete(position);
  }
  const passing = selected < 0 ? (current.flow?.position ?? RESULT) : RESULT;
  const wanted = pointed?.target ?? passing;
  const flow = flows.get(wanted) ?? null;
  const target = flow ? wanted : RESULT;
  const drawn = tensorsOf(model, node, found, flow);
  const last = drawn.length - 1;

  const known = drawn.map(({ tensor }) => entriesOf(recording, tensor));
  const entry =
    pointed?.target === target && pointed.figure >= 0 && pointed.figure <= last
      ? pointed
      : { target, figure: last, place: largestEntry(known[last]!, drawn[last]!.tensor) };
  const terms: Term[] = [];
  let isCut = false;
  for (const term of termsAt(rule, drawn[entry.figure]!.of, entry.place)) {
    if (flow && placeIn(term, target) < 0) continue;
    isCut = terms.length === MOST_TERMS;
    if (isCut) break;
    terms.push(term);
  }
  const figures = drawn.map((each, figure): Figure => {
    const places =
      figure === entry.figure ? [entry.place] : terms.map((term) => placeIn(term, each.of));
    const at = [...new Set(places)].filter((place) => place >= 0);
    const grid = gridOf(recording, each.tensor, at[0] ?? 0, rule.planes[each.of + 1]);
    const cells = at.map((place) => cellAt(grid, place)).filter((cell) => cell >= 0);
    return {
      ...each,
      transposed: each.transposed ?? false,
      grid,
      lit: new Set(cells),
      pointed: figure === entry.figure ? cells[0]! : -1,
      pattern: patternOf(each.tensor.shape, at),
    };
  });

  const resultEntries = entriesOf(recording, result);
  const inputEntries = inputs.map((input) => entriesOf(recording, input));
  const locals =
    flow && flow.local >= 0 ? entriesOf(recording, recording.tensor(flow.local)) : null;
  const derivative = derivativesOf(
    rule,
    { result: resultEntries.at, input: (input, place) => inputEntries[input]!.at(place) },
    (place) => locals?.at(place) ?? NaN,
  );
  const product = rule.how === 'product';
  const isTarget = entry.figure === last;
  const factorOf = ({ part }: Term): number =>
    flow ? part.factors.findIndex(({ input }) => input === target) : 0;
  const values = (term: Term): number[] =>
    term.part.factors.flatMap(({ input }, at) =>
      flow && input === target ? [] : [inputEntries[input]!.at(term.places[at]!)],
    );
  const computed = !product && isTarget && rule.how !== 'local';
  const weights = computed ? terms.map((term) => derivative(term, factorOf(term))) : null;
  const upstream = known[drawn.findIndex(({ of, isGradient }) => isGradient && of === RESULT)];
  const summand = (term: Term, at: number): Summand => {
    const back = flow ? [upstream!.at(term.result)] : [];
    return product
      ? [...back, ...values(term)]
      : [...back, weights ? weights[at]! : derivative(term, factorOf(term))];
  };
  return {
    node,
    label: labelOf(model, node),
    target,
    targets: [RESULT, ...flows.keys()].map((each) => ({
      target: each,
      label: labelOf(model, each === RESULT ? node : inputsOf(model, node)[each]!),
    })),
    figures,
    isMatrixProduct: !!rule.transposed && figures.length === 3,
    entry,
    summands: isTarget && (flow || product) ? terms.map(summand) : null,
    scale: product ? rule.scale : 1,
    isSum: product || !!flow,
    derivatives: weights,
    termCount: terms.length,
    isCut,
    isRounded: known.some(({ rounded }) => rounded),
    value: known[entry.figure]!.at(entry.place),
  };
}
