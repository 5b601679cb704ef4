import { lookOf } from '../appearance.js';
import type { Highlight, NodeLook } from '../appearance.js';
import type { Chart } from '../chart.js';
import { h } from '../dom.js';
import { extras, wantExtras } from '../extras.js';
import type { Attributes, Child, VNode } from '../dom.js';
import { isLegible } from '../legibility.js';
import type { Model } from '../model.js';
import { count } from '../numbers.js';
import { labelOf } from '../stepstate.js';
import type { StepState } from '../stepstate.js';
import type { Point } from '../routes.js';
import type { Part } from '../scene.js';
import type { Action, Dispatch } from '../state.js';
import { boxesView } from './boxes.js';
import { nodeClass, nodeView } from './node.js';
import { edgesBelow, signsAbove } from './edges.js';
import { say, WORDS } from '../words.js';

export interface GraphOptions extends Highlight {
  readonly hatch: string;
  readonly dispatch: Dispatch;
  /** An edge at which the path ends, though both its ends are off the tape. */
  readonly cut?: number;
  readonly over?: readonly VNode[];
  /** The size at which the graph is shown, 1 where nothing is said. */
  readonly zoom?: number;
  /** The point that is drawn at zero. */
  readonly origin?: Point;
  /** What a screen reader says of each node, where the graph is a tree to walk in. */
  readonly treeItem?: (place: number) => Attributes;
}

export function hatchView(id: string): VNode {
  return h(
    'defs',
    {},
    h(
      'pattern',
      {
        id,
        width: 7,
        height: 7,
        patternUnits: 'userSpaceOnUse',
        patternTransform: 'rotate(45)',
      },
      h('rect', { class: 'hatchground', width: 7, height: 7 }),
      h('path', { class: 'hatchline', d: 'M0 0V7' }),
    ),
  );
}

/** What a click on a place does: select the node, or open what is folded there. */
export function choiceAt(chart: Chart, place: number): Action {
  const fold = chart.foldAt(place);
  return fold < 0 ? { kind: 'select', node: chart.nodes[place]! } : { kind: 'fold', fold };
}

/** What is drawn only: a screen reader has it from the label of the node that it belongs to. */
function unspoken(...content: Child[]): VNode {
  return h('g', { 'aria-hidden': 'true' }, content);
}

/** The place of a node for a screen reader, which shows what it speaks of. */
function boxOf({ width, height }: NodeLook): Attributes {
  return { width, height, fill: 'none', 'pointer-events': 'none' };
}

/** The nodes and edges of a part of the graph at one step. */
export function graphContent(
  model: Model,
  chart: Chart,
  current: StepState,
  part: Part,
  options: GraphOptions,
): VNode[] {
  const { origin = [0, 0], zoom = 1 } = options;
  const legible = isLegible(zoom);
  const maps = (chart.detail === 'maps' ? wantExtras() : extras())?.nodeMaps;
  const cards = part.places.map((place) => {
    const look = lookOf(model, chart, current, place, options);
    const node = chart.nodes[place]!;
    const x = Math.round(chart.layout.x[place]! - origin[0]);
    const y = Math.round(chart.layout.y[place]! - origin[1]);
    const fold = chart.foldAt(place);
    const choose = (): void => options.dispatch(choiceAt(chart, place));
    return h(
      'g',
      {
        class: nodeClass(look),
        transform: `translate(${x} ${y})`,
        key: fold < 0 ? `n${node}` : `f${fold}`,
        'data-node': node,
        onclick: choose,
        role: options.treeItem ? 'none' : null,
      },
      options.treeItem && h('rect', { ...options.treeItem(place), ...boxOf(look) }),
      unspoken(
        nodeView(look, options.hatch, zoom),
        legible && node !== options.questionNode && maps?.(model.recording, look),
      ),
    );
  });
  return [
    hatchView(options.hatch),
    unspoken(boxesView(model, chart, origin, zoom, options.dispatch)),
    unspoken(edgesBelow(model, chart, current, part, origin, options.cut)),
    ...cards,
    unspoken(signsAbove(model, chart, current, part, origin, legible)),
    ...(options.over ?? []),
  ];
}

/** A sentence for those who cannot see the graph; the timeline has the rest. */
export function graphSummary(model: Model, current: StepState): string {
  const name = model.recording.header.tape.name || WORDS.untitled;
  const nodes = count(model.graph.nodeCount, 'node');
  return current.node >= 0
    ? say('Graph of {name}: {nodes}, at {label}', {
        name,
        nodes,
        label: labelOf(model, current.node),
      })
    : say('Graph of {name}: {nodes}', { name, nodes });
}
