/**
 * The text behind letters, as `packing.mjs` wrote them. It travels with every bundle, so it is one
 * function that needs nothing from outside, and no word more than that takes.
 *
 * Letters are the digits of a number; it tells bits that were the cheaper the likelier; bits tell
 * how long ago each byte was last seen; and bytes stand in the order of what follows them.
 */
export function unpack(letters, length, whole) {
  const first = 89 ** 4;
  let read = 0;
  // Low, high, word: an array holds large numbers without making an object of each.
  const span = new Float64Array([0, 89 * first - 1, 0]);
  const next = () => {
    const code = letters.charCodeAt(read++) || 32;
    const left = (code > 34) + (code > 38) + (code > 39) + (code > 60) + (code > 62) + (code > 92);
    span[2] = (span[2] % first) * 89 + code - 32 - left;
  };
  while (read < 5) next();
  const [quick, slow] = [0, 0].map(() => new Float64Array(9999).fill(32768));
  const bit = (context) => {
    const chance = (quick[context] + slow[context]) >> 1;
    const middle = span[0] + Math.floor(((span[1] - span[0]) / 65536) * chance);
    const found = span[2] <= middle;
    if (found) span[1] = middle;
    else span[0] = middle + 1;
    const goal = found ? 65472 : 64;
    quick[context] += (goal - quick[context]) / 16;
    slow[context] += (goal - slow[context]) / 128;
    while (span[1] - span[0] < first && span[1] - (span[1] % first) <= span[0]) {
      span[0] = (span[0] % first) * 89;
      span[1] = (span[1] % first) * 89 + 88;
      next();
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
    third = before;
    before = last;
    last = rank < 3 ? rank : rank < 16 ? 3 : 4;
    const byte = (sorted[at] = recent[rank]);
    while (rank) recent[rank] = recent[--rank];
    recent[0] = byte;
    starts[byte + 1]++;
  }

  starts[0] = 1;
  for (let byte = 0; byte < 256; byte++) starts[byte + 1] += starts[byte];
  const before = new Int32Array(length);
  for (let at = 0; at < length; at++) before[at] = starts[sorted[at]]++;
  const text = new Uint8Array(length);
  for (let at = length, row = 0; at--;) {
    const place = row > whole ? row - 1 : row;
    text[at] = sorted[place];
    row = before[place];
  }
  return new TextDecoder().decode(text);
}
