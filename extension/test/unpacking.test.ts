import assert from 'node:assert/strict';
import test from 'node:test';
// @ts-expect-error The tools of the build have no types.
import { pack } from '../packing.mjs';
// @ts-expect-error The tools of the build have no types.
import { unpack } from '../unpacking.mjs';

function roundTrip(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const { letters, whole } = pack(bytes) as { letters: string; whole: number };
  return unpack(letters, bytes.length, whole) as string;
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
  const { letters } = pack(new TextEncoder().encode(text)) as { letters: string };
  assert.ok(letters.length < text.length / 32, `${letters.length} of ${text.length}`);
});

test('no letter has to be escaped in a string, a page or a notebook', () => {
  const bytes = Uint8Array.from({ length: 5000 }, (_, at) => (at * at * 7919) % 251);
  const { letters } = pack(bytes) as { letters: string };
  assert.equal(new Set(letters).size, 89);
  assert.doesNotMatch(letters, /["&'<>\\]|[^ -~]/);
});
