/** So long a step stays at speed 1, in milliseconds. */
const PACE = 900;

/** Plays the tape: a tick for every step, as fast as the learner wants it. */
export class Player {
  private timer: ReturnType<typeof setInterval> | undefined;
  private pace = 0;

  constructor(private readonly tick: () => void) {}

  /** Play at a speed from here on; 0 stands still. */
  follow(speed: number): void {
    const pace = speed ? PACE / speed : 0;
    if (pace === this.pace) return;
    clearInterval(this.timer);
    if (pace) this.timer = setInterval(this.tick, pace);
    this.pace = pace;
  }
}
