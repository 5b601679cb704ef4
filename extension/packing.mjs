// How the bundles travel. What is sorted by what follows it repeats itself (Burrows and Wheeler),
// and what repeats itself costs little room (an arithmetic coder that adapts): a tenth less than
// deflate takes. `unpacking.mjs` is the other way round.

/** Where the suffixes of a text begin, in alphabetical order, by doubling what is compared. */
function sortedSuffixes(text) {
  const order = Int32Array.from(text, (_, at) => at);
  let rank = Int32Array.from(text, (byte) => byte + 1);
  for (let width = 1; ; width *= 2) {
    const keys = Float64Array.from(rank, (first, at) => first * 2 ** 24 + (rank[at + width] ?? 0));
    order.sort((a, b) => keys[a] - keys[b]);
    const next = new Int32Array(text.length);
    let most = 0;
    order.forEach((at, place) => {
      if (!place || keys[at] !== keys[order[place - 1]]) most++;
      next[at] = most;
    });
    if (most === text.length) return order;
    rank = next;
  }
}

/** The byte before each suffix, and the place at which there is none. */
function sortedBytes(text) {
  const sorted = [text.at(-1)];
  let whole = 0;
  sortedSuffixes(text).forEach((at, place) => {
    if (at) sorted.push(text[at - 1]);
    else whole = place + 1;
  });
  return { sorted, whole };
}

/** Writes bits in the less room the likelier they were where they stand. */
class Writer {
  low = 0;
  high = 2 ** 32 - 1;
  written = [];
  quick = new Float64Array(9999).fill(32768);
  slow = new Float64Array(9999).fill(32768);

  bit(context, bit) {
    const { quick, slow } = this;
    const chance = Math.floor((quick[context] + slow[context]) / 2);
    const middle = this.low + Math.floor(((this.high - this.low) / 65536) * chance);
    if (bit) this.high = middle;
    else this.low = middle + 1;
    const goal = bit ? 65472 : 64;
    quick[context] += (goal - quick[context]) / 16;
    slow[context] += (goal - slow[context]) / 128;
    while ((this.low ^ this.high) >>> 24 === 0) {
      this.written.push(this.high >>> 24);
      this.low = (this.low << 8) >>> 0;
      this.high = ((this.high << 8) | 255) >>> 0;
    }
  }

  bytes() {
    return Uint8Array.from([...this.written, this.high >>> 24]);
  }
}

/** A text in few bytes, and where it is whole among what was sorted. */
export function pack(text) {
  const { sorted, whole } = sortedBytes(text);
  const writer = new Writer();
  const recent = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  let [last, before, third] = [0, 0, 0];
  for (const byte of sorted) {
    const rank = recent.indexOf(byte);
    recent.copyWithin(1, 0, rank);
    recent[0] = byte;
    writer.bit(last * 25 + before * 5 + third, !rank);
    if (rank) {
      const digits = 31 - Math.clz32(rank);
      const length = 200 + last * 64 + before * 12;
      for (let digit = 0; digit < digits; digit++) writer.bit(length + digit, false);
      if (digits < 7) writer.bit(length + digits, true);
      for (let left = digits; left--;) {
        const node = rank >> (left + 1);
        writer.bit(1000 + node + (last > 1 ? 256 : 0), (rank >> left) & 1);
      }
    }
    [third, before, last] = [before, last, rank < 3 ? rank : rank < 16 ? 3 : 4];
  }
  return { packed: writer.bytes(), whole };
}
