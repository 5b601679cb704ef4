/** What is written beside an edge: what goes along it, and how large the gradient is that returns. */
import type { Chart } from './chart.js';
import { magnitudeOfEdge, magnitudeOfNode } from './flow.js';
import type { Model } from './model.js';
import { formatBrief, formatNumber, formatShape } from './numbers.js';
import { tensorOf } from './stepstate.js';
import { Kind } from './schema.js';

const ROOM = 14;

/** The contribution along an edge; empty without one. */
export function contributionText(model: Model, edge: number): string {
  const flow = model.backwardPass?.flowOfEdge[edge] ?? -1;
  const event = flow < 0 ? null : model.recording.event(model.backwardPass!.flows[flow]!);
  if (event?.kind !== Kind.Flowed || event.contribution < 0) return '';
  return formatBrief(model.recording.tensor(event.contribution), ROOM);
}

/** Where each edge of a chart comes from, as far as that is one value; else -1. */
interface Origins {
  readonly model: Model;
  readonly nodes: Int32Array;
  /** How many gradients come back along each. */
  readonly returning: Int32Array;
}

const known = new WeakMap<Chart, Origins>();

function originsOf(model: Model, chart: Chart): Origins {
  const before = known.get(chart);
  if (before?.model === model) return before;
  const nodes = new Int32Array(chart.edges.length).fill(-2);
  const returning = new Int32Array(chart.edges.length);
  for (let id = 0; id < model.graph.edgeCount; id++) {
    const edge = chart.placeOfEdge(id);
    if (edge < 0) continue;
    const node = model.graph.edgeFrom[id]!;
    nodes[edge] = nodes[edge] === -2 || nodes[edge] === node ? node : -1;
    if ((model.backwardPass?.flowOfEdge[id] ?? -1) >= 0) returning[edge]!++;
  }
  const origins = { model, nodes, returning };
  known.set(chart, origins);
  return origins;
}

/** Whether an edge is about a call, or about a value whose numbers were not kept. */
function isSummed(model: Model, chart: Chart, edge: number): boolean {
  const { from, to } = chart.ends(edge);
  const tensor = tensorOf(model, chart.nodes[from]!);
  return chart.foldAt(from) >= 0 || chart.foldAt(to) >= 0 || (!!tensor && !tensor.values);
}

/** What goes along an edge: its shape, a number as it is, or how many values there are. */
export function passingText(model: Model, chart: Chart, edge: number): string {
  if (!isSummed(model, chart, edge)) return '';
  const node = originsOf(model, chart).nodes[edge]!;
  if (node < 0) return `×${chart.edgeCount(edge)}`;
  const tensor = tensorOf(model, node);
  if (!tensor) return '';
  return tensor.shape.length ? formatShape(tensor.shape) : formatBrief(tensor, ROOM);
}

/** The norm of the gradient that returns along an edge, or its numbers; empty if not kept. */
export function returningText(model: Model, chart: Chart, edge: number): string {
  const id = chart.edges[edge]!;
  if (!isSummed(model, chart, edge)) return contributionText(model, id);
  const { nodes, returning } = originsOf(model, chart);
  const node = nodes[edge]!;
  const one = chart.edgeCount(edge) === 1;
  const { firstArrival } = model.backwardPass!;
  const all = node >= 0 && firstArrival[node + 1]! - firstArrival[node]! === returning[edge];
  const magnitude = one ? magnitudeOfEdge(model, id) : all ? magnitudeOfNode(model, node) : null;
  const norm = magnitude?.norm ?? NaN;
  if (magnitude?.health === 'nan') return '‖∇‖ NaN';
  return Number.isNaN(norm) ? '' : `‖∇‖ ${formatNumber(norm)}`;
}
