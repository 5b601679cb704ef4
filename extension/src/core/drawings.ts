import { chartOf } from './chart.js';
import type { Chart } from './chart.js';
import type { Explanation } from './explanation.js';
import { wantExtras } from './extras.js';
import { foldedGraph, foldsIn } from './folded.js';
import type { Open } from './folded.js';
import type { Direction } from './layout.js';
import type { State } from './state.js';
import type { BrokenPath } from './brokenpath.js';

/** What was laid out already: the graph in each direction, and the story of each finding. */
export class Drawings {
  private readonly charts = new Map<Direction, Chart>();
  private readonly stories = new Map<string, BrokenPath>();
  private folds: Open = null;

  constructor(private readonly explanation: Explanation | null) {}

  /** Whether other groups are open than in the charts that were laid out. */
  isRefolded({ open }: State): boolean {
    return open !== this.folds;
  }

  /** The graph, with the groups open that the learner opened. */
  chart(state: State, direction: Direction): Chart {
    const { model, open } = state;
    if (this.isRefolded(state)) this.charts.clear();
    this.folds = open;
    let chart = this.charts.get(direction);
    if (!chart) {
      const options = foldsIn(model).kind.length ? { folded: foldedGraph(model, open) } : {};
      this.charts.set(direction, (chart = chartOf(model, direction, options)));
    }
    return chart;
  }

  /** The story of the finding that is looked at; null where there is none, or not yet. */
  story(state: State, direction: Direction): BrokenPath | null {
    const more = state.view === 'why' && this.explanation ? wantExtras() : null;
    if (!more || !this.explanation) return null;
    const key = `${state.finding} ${direction} ${state.model.chosen}`;
    let story = this.stories.get(key);
    if (!story) {
      const finding = this.explanation.findings[state.finding];
      story = more.brokenPathOf(state.model, this.explanation, finding, direction);
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
