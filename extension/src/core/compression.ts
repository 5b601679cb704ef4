/** Long recordings travel and are kept packed: see `tapelab/recording/compression.py`. */

/** The bytes that letters in base64 stand for; younger browsers know it by heart. */
export function fromBase64(text: string): Uint8Array {
  const native = (Uint8Array as { fromBase64?: (text: string) => Uint8Array }).fromBase64;
  if (native) return native(text);
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

/** Whether these are packed bytes, as a long `.tape` file holds them. */
export function isPacked(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** The bytes of a recording as `parseRecording` reads them. */
export async function unpacked(bytes: Uint8Array): Promise<Uint8Array> {
  // A blob would go through another process first.
  const packed = new Response(bytes as Uint8Array<ArrayBuffer>).body!;
  const stream = packed.pipeThrough(new DecompressionStream('gzip'));
  return fromBytePlanes(new Uint8Array(await new Response(stream).arrayBuffer()));
}

/** Words of eight bytes, of which all first ones came first, then all second ones. */
function fromBytePlanes(planes: Uint8Array): Uint8Array {
  const size = planes.length / 8;
  const words = new Uint32Array(2 * size);
  const four = (at: number): number =>
    planes[at]! |
    (planes[at + size]! << 8) |
    (planes[at + 2 * size]! << 16) |
    (planes[at + 3 * size]! << 24);
  for (let at = 0; at < size; at++) {
    words[2 * at] = four(at);
    words[2 * at + 1] = four(at + 4 * size);
  }
  return new Uint8Array(words.buffer);
}
