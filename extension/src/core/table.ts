/** Growing rows of integers; by columns, without an object for each row. */
export class Table<Name extends string> {
  length = 0;
  readonly in = {} as Record<Name, Int32Array>;

  constructor(
    private readonly names: readonly Name[],
    private room: number,
  ) {
    for (const name of names) this.in[name] = new Int32Array(room);
  }

  /** Make room for one more row; its number. */
  add(): number {
    if (this.length === this.room) {
      this.room *= 2;
      for (const name of this.names) {
        const larger = new Int32Array(this.room);
        larger.set(this.in[name]);
        this.in[name] = larger;
      }
    }
    return this.length++;
  }

  column(name: Name): Int32Array {
    return this.in[name].subarray(0, this.length);
  }
}
