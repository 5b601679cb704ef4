import assert from 'node:assert/strict';
import test from 'node:test';
import { parseRecording, RecordingError } from '../src/core/recording.js';
import { unpacked } from '../src/core/compression.js';
import { goldenBytes } from './goldens.js';
import { previewOf } from '../src/core/previews.js';
import { sheetOf } from '../src/core/planes.js';
import { randomTape } from './random.js';

const BAD = {
  wrong_magic: 'not a recording',
  no_bytes: 'not a recording',
  newer: 'newer',
  older: 'older',
  cut_short: 'cut short',
  cut_in_header: 'cut short',
} as const;

for (const [name, reason] of Object.entries(BAD)) {
  test(`${name} is refused as ${reason}`, () => {
    assert.throws(
      () => parseRecording(goldenBytes(`bad/${name}`)),
      (error) => error instanceof RecordingError && error.reason === reason,
    );
  });
}

test('a newer recording names both schemas and says what to do', () => {
  assert.throws(() => parseRecording(goldenBytes('bad/newer')), {
    title: 'This recording is newer',
    advice: /^Made with schema \d+, this page reads 2\. Update tapelab\.$/,
  });
});

test('a recording is read from the middle of a message', () => {
  const bytes = goldenBytes('scene_a');
  const message = new Uint8Array(bytes.length + 3);
  message.set(bytes, 3);
  const recording = parseRecording(message.subarray(3));
  assert.equal(recording.tensor(0).values?.[0], 3);
});

test('a column that ends beyond the file is refused as cut short', () => {
  const bytes = goldenBytes('scene_a');
  const shorter = bytes.slice(0, bytes.length - 8);
  assert.throws(() => parseRecording(shorter), { reason: 'cut short' });
});

test('columns that are kept narrow are read as what they are', () => {
  const plain = randomTape(7);
  const narrow = randomTape(7);
  narrow.kept = {
    'event.fields': 'i16',
    'event.start': 'u8',
    'tensor.span': 'i8',
    'tensor.variable': 'i8',
    values: 'f32',
  };
  assert.ok(narrow.bytes().length < plain.bytes().length);
  const [one, other] = [plain, narrow].map((tape) => parseRecording(tape.bytes()));
  assert.ok(other!.fields instanceof Int32Array && other!.numbers instanceof Float64Array);
  for (let event = 0; event < one!.eventCount; event++) {
    assert.deepEqual(other!.event(event), one!.event(event));
  }
  for (let tensor = 0; tensor < one!.tensorCount; tensor++) {
    assert.deepEqual(other!.tensor(tensor), one!.tensor(tensor));
  }
});

test('a recording of an earlier tapelab is read as the same one', async () => {
  const [now, before] = [
    parseRecording(goldenBytes('chain')),
    parseRecording(await unpacked(goldenBytes('older/chain'))),
  ];
  for (const column of ['kinds', 'starts', 'fields', 'roles', 'named', 'numbers'] as const) {
    assert.deepEqual(now[column], before[column]);
  }
  for (let tensor = 0; tensor < before.tensorCount; tensor++) {
    assert.deepEqual(now.tensor(tensor), before.tensor(tensor));
  }
  for (let event = 0; event < before.eventCount; event++) {
    assert.equal(now.eventSpan(event), before.eventSpan(event));
  }
});

test('damage among the columns gives previews, or none, but never an error', () => {
  const bytes = goldenBytes('previews');
  const start = 16 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true);
  let found = 0;
  for (let at = start, byte = 7; at < bytes.length; at += 31, byte = (byte * 13 + 5) % 256) {
    const damaged = bytes.slice();
    damaged[at] = byte;
    const recording = parseRecording(damaged);
    for (const tensor of recording.looks.tensors) {
      if (previewOf(recording, tensor)) found++;
      if (tensor >= 0 && tensor < recording.tensorCount) {
        sheetOf(recording, recording.tensor(tensor), 1);
      }
    }
  }
  assert.ok(found > 1000);
});
