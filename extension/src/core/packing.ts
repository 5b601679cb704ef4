/** Long recordings travel and are kept packed: see `tapelab/recording/packing.py`. */

/** Whether these are packed bytes, as a long `.tape` file holds them. */
export function isPacked(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** The bytes of a recording as `parseRecording` reads them. */
export async function unpacked(bytes: Uint8Array): Promise<Uint8Array> {
  const packed = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream();
  const stream = packed.pipeThrough(new DecompressionStream('gzip'));
  return fromLanes(new Uint8Array(await new Response(stream).arrayBuffer()));
}

/** Words of four bytes, of which all first ones came first, then all second ones. */
function fromLanes(lanes: Uint8Array): Uint8Array {
  const size = lanes.length / 4;
  const words = new Uint32Array(size);
  for (let at = 0; at < size; at++) {
    words[at] =
      lanes[at]! |
      (lanes[at + size]! << 8) |
      (lanes[at + 2 * size]! << 16) |
      (lanes[at + 3 * size]! << 24);
  }
  return new Uint8Array(words.buffer);
}
