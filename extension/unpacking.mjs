/**
 * The text behind letters, as `packing.mjs` wrote them. It travels with every bundle, so it is one
 * function that needs nothing from outside, and no word more than that takes.
 *
 * Five letters are four bytes; bytes are bits that were the cheaper the likelier; bits tell how
 * long ago each byte was last seen; and bytes stand in the order of what follows them.
 */
export function unpack(letters, length, whole) {
  const view = new DataView(new ArrayBuffer((letters.length * 4) / 5));
  for (let at = 0, group = 0; at < letters.length; group = ++at % 5 ? group : 0) {
    const letter = letters.charCodeAt(at);
    group = group * 85 + (letter > 36 ? letter : letter < 34 ? 60 : letter < 36 ? 62 : 92) - 40;
    if (at % 5 > 3) view.setUint32(((at - 4) * 4) / 5, group);
  }

  let [low, high, read] = [0, 2 ** 32 - 1, 4];
  let word = view.getUint32(0);
  const [quick, slow] = [0, 0].map(() => new Float64Array(9999).fill(32768));
  const bit = (context) => {
    const chance = Math.floor((quick[context] + slow[context]) / 2);
    const middle = low + Math.floor(((high - low) / 65536) * chance);
    const found = word <= middle;
    if (found) high = middle;
    else low = middle + 1;
    const goal = found ? 65472 : 64;
    quick[context] += (goal - quick[context]) / 16;
    slow[context] += (goal - slow[context]) / 128;
    for (; (low ^ high) >>> 24 === 0; high = ((high << 8) | 255) >>> 0) {
      low = (low << 8) >>> 0;
      word = ((word << 8) | (read < view.byteLength ? view.getUint8(read++) : 0)) >>> 0;
    }
    return +found;
  };

  const recent = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const [sorted, starts] = [new Uint8Array(length), new Int32Array(257)];
  for (let at = 0, last = 0, before = 0, third = 0; at < length; at++) {
    let rank = 0;
    if (!bit(last * 25 + before * 5 + third)) {
      let digits = 0;
      while (digits < 7 && !bit(200 + last * 64 + before * 12 + digits)) digits++;
      for (rank = 1; digits--;) rank = 2 * rank + bit(1000 + rank + (last > 1 ? 256 : 0));
    }
    [third, before, last] = [before, last, rank < 3 ? rank : rank < 16 ? 3 : 4];
    const byte = (sorted[at] = recent[rank]);
    recent.copyWithin(1, 0, rank);
    recent[0] = byte;
    starts[byte + 1]++;
  }

  starts[0] = 1;
  for (let byte = 0; byte < 256; byte++) starts[byte + 1] += starts[byte];
  const before = Int32Array.from(sorted, (byte) => starts[byte]++);
  const text = new Uint8Array(length);
  for (let at = length, row = 0; at--;) {
    const place = row > whole ? row - 1 : row;
    text[at] = sorted[place];
    row = before[place];
  }
  return new TextDecoder().decode(text);
}
