// How the bundles travel. What is sorted by what follows it repeats itself (Burrows and Wheeler),
// and what repeats itself costs little room (an arithmetic coder that adapts): a tenth less than
// deflate takes. The coder counts in letters, not in bytes, so none of their room is left unused. `unpacking.mjs` is the other way round.

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

/** What no string, page or notebook has to escape. */
const LETTERS = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at))
  .filter((letter) => !'"&\'<>\\'.includes(letter))
  .join('');
const BASE = LETTERS.length;
/** What the first of five digits counts. */
const FIRST = BASE ** 4;

/** Writes bits in the less room the likelier they were where they stand. */
class Writer {
  low = 0;
  high = BASE * FIRST - 1;
  letters = '';
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
    while (this.digit() === Math.floor(this.low / FIRST)) {
      this.letters += LETTERS[this.digit()];
      this.low = (this.low % FIRST) * BASE;
      this.high = (this.high % FIRST) * BASE + BASE - 1;
    }
  }

  digit() {
    return Math.floor(this.high / FIRST);
  }

  end() {
    return this.letters + LETTERS[this.digit()];
  }
}

/** A text in few letters, and where it is whole among what was sorted. */
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
  return { letters: writer.end(), whole };
}
