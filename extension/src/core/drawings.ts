import { chartOf } from './chart.js';
import type { Chart } from './chart.js';
import type { Explanation } from './explanation.js';
import { wantExtras } from './extras.js';
import { foldedGraph, foldsIn } from './folded.js';
import type { Open } from './folded.js';
import type { Direction } from './layout.js';
import { SMALLEST_ZOOM } from './legibility.js';
import type { Model } from './model.js';
import type { State } from './state.js';
import type { BrokenPath } from './brokenpath.js';

/** So close may layers stand that the label of an edge still has room between them. */
const LEAST_GAP = 64;
/** What a drawing adds to a layout. */
const MARGIN = 14;

/** A chart whose layers stand closer, where that alone makes it fit its pane; else the chart. */
function fitted(model: Model, chart: Chart, width: number): Chart {
  const { direction, layers, layerStart, layerEnd } = chart.layout;
  const excess = chart.layout.width + MARGIN - width / SMALLEST_ZOOM;
  if (direction === 'down' || chart.folded || excess <= 0 || layers.length < 2) return chart;
  const gap = layerStart[1]! - layerEnd[0]! - Math.ceil(excess / (layers.length - 1));
  return gap < LEAST_GAP ? chart : chartOf(model, direction, { layerGap: () => gap });
}

/** What was laid out already: the graph in each direction, and the story of each finding. */
export class Drawings {
  private readonly charts = new Map<Direction, Chart>();
  private readonly stories = new Map<string, BrokenPath>();
  private folds: Open = null;
  private width = 0;

  constructor(private readonly explanation: Explanation | null) {}

  /** Whether other groups are open than in the charts that were laid out. */
  isRefolded({ open }: State): boolean {
    return open !== this.folds;
  }

  /** The graph, with the groups open that the learner opened, for a pane of a width. */
  chart(state: State, direction: Direction, width: number): Chart {
    const { model, open } = state;
    if (this.isRefolded(state) || width !== this.width) this.charts.clear();
    this.width = width;
    this.folds = open;
    let chart = this.charts.get(direction);
    if (!chart) {
      const options = foldsIn(model).kind.length ? { folded: foldedGraph(model, open) } : {};
      chart = fitted(model, chartOf(model, direction, options), width);
      this.charts.set(direction, chart);
    }
    return chart;
  }

  /** The story of the finding that is looked at; null where there is none, or not yet. */
  story(state: State, direction: Direction): BrokenPath | null {
    const pathOf = state.view === 'why' && this.explanation && wantExtras()?.brokenPathOf;
    if (!pathOf || !this.explanation) return null;
    const key = `${state.finding} ${direction} ${state.model.chosen}`;
    let story = this.stories.get(key);
    if (!story) {
      const finding = this.explanation.findings[state.finding];
      story = pathOf(state.model, this.explanation, finding, direction);
      this.stories.set(key, story);
    }
    return story;
  }

  /** Another run of the program is shown: its stories are others, its graph only if not `alike`. */
  renew(alike: boolean): void {
    if (!alike) this.charts.clear();
    this.stories.clear();
  }
}
