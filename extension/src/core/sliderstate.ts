import type { Sliders, Source } from './whatif.js';

/** Keeps the sliders of a widget where the learner has put them. */
export class SliderState {
  private now: Sliders;

  /** `draw` shows what can be shown before the source has answered. */
  constructor(
    private readonly root: HTMLElement,
    source: Source,
    private readonly draw: () => void,
  ) {
    const starts = source.experiment.inputs.map(({ start }) => start);
    this.now = {
      source,
      values: source.evaluation().values,
      moved: 0,
      move: (input, value) => this.moveTo(this.now.values.with(input, value), input),
      reset: () => this.moveTo(starts, 0),
    };
  }

  sliders(): Sliders {
    return this.now;
  }

  /** The source has answered; one that counts tells where the sliders stand. */
  renew(): void {
    const { source } = this.now;
    if (source.counts) this.now = { ...this.now, values: source.evaluation().values };
  }

  private moveTo(values: readonly number[], moved: number): void {
    const { source } = this.now;
    this.now = { ...this.now, values, moved };
    source.move(values);
    if (!source.counts) this.draw();
    this.root.querySelectorAll<HTMLInputElement>('.slider input').forEach((thumb, input) => {
      const place = String(this.now.values[input]);
      if (thumb !== this.root.ownerDocument.activeElement) thumb.value = place;
    });
  }
}
