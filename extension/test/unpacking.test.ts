import assert from 'node:assert/strict';
import test from 'node:test';
// @ts-expect-error The tools of the build have no types.
import { pack } from '../packing.mjs';
// @ts-expect-error The tools of the build have no types.
import { unpack } from '../unpacking.mjs';

function lettersFor(bytes: Uint8Array): string {
  const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  padded.set(bytes);
  const view = new DataView(padded.buffer);
  const escaped: Record<string, string> = { '<': '!', '>': '#', '\\': '$' };
  let letters = '';
  for (let at = 0; at < padded.length; at += 4) {
    let group = '';
    for (let digits = view.getUint32(at), left = 5; left--; digits = Math.floor(digits / 85)) {
      const letter = String.fromCharCode((digits % 85) + 40);
      group = (escaped[letter] ?? letter) + group;
    }
    letters += group;
  }
  return letters;
}

function roundTrip(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const { packed, whole } = pack(bytes) as { packed: Uint8Array; whole: number };
  return unpack(lettersFor(packed), bytes.length, whole) as string;
}

for (const [name, text] of Object.entries({
  'one letter': 'a',
  'one letter many times': 'a'.repeat(3000),
  'what repeats itself': 'function of(x){return x}'.repeat(50),
  'letters beyond ASCII': '× ∂ 𝛼 שלום 梯度 — done',
  'all bytes': Array.from({ length: 128 }, (_, at) => String.fromCharCode(at)).join(''),
  'much that does not repeat itself': Array.from({ length: 4000 }, (_, at) =>
    String.fromCharCode(32 + ((at * at * 7919) % 90)),
  ).join(''),
})) {
  test(`${name} comes back as it was`, () => assert.equal(roundTrip(text), text));
}

test('code that repeats itself takes a small part of its room', () => {
  const text = 'export const frame = (step: number): number => step + 1;\n'.repeat(200);
  const { packed } = pack(new TextEncoder().encode(text)) as { packed: Uint8Array };
  assert.ok(packed.length < text.length / 40, `${packed.length} of ${text.length}`);
});
