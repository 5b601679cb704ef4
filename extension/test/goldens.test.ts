import assert from 'node:assert/strict';
import test from 'node:test';
import { firstNonFiniteStep, flowOf } from '../src/core/flow.js';
import { buildGraph } from '../src/core/buildgraph.js';
import { EdgeKind, FrameKind } from '../src/core/graph.js';
import { parseFormula } from '../src/core/mathematics.js';
import { memoryOf } from '../src/core/memory.js';
import { Form, previewOf } from '../src/core/previews.js';
import { buildModel } from '../src/core/model.js';
import { formatBrief } from '../src/core/numbers.js';
import { stateAt, labelOf, slotAt, slotText, tensorOf } from '../src/core/stepstate.js';
import { parseRecording } from '../src/core/recording.js';
import { Kind } from '../src/core/schema.js';
import { frameLabel, frameTag } from '../src/core/views/timeline.js';
import { goldens } from './goldens.js';

const all = goldens();
const small = all.filter(({ expected }) => expected.events);
const EDGES = { [EdgeKind.Taped]: 'taped', [EdgeKind.Off]: 'off', [EdgeKind.Cut]: 'cut' };
const FRAMES = {
  [FrameKind.Watch]: 'watch',
  [FrameKind.Op]: 'op',
  [FrameKind.Off]: 'off',
  [FrameKind.Assign]: 'assign',
};

test('there are golden recordings of every kind of story', () => {
  assert.ok(small.length >= 15, `found ${small.length}`);
});

for (const { name, bytes, expected } of all) {
  test(`${name}: its header is read as Python wrote it`, () => {
    const { header } = parseRecording(bytes);
    assert.deepEqual(
      header.sources.map((source) => source.title),
      expected.sources,
    );
    assert.deepEqual(
      header.variables.map((variable) => variable.name),
      expected.variables,
    );
    assert.deepEqual(
      header.ops.map((op) => op.name),
      expected.ops,
    );
  });

  test(`${name}: every formula can be drawn`, () => {
    for (const op of parseRecording(bytes).header.ops) {
      const letters = [...op.inputs, op.output];
      const rules = op.rules.flatMap((rule) => [rule.formula, rule.local]);
      for (const formula of [op.formula, ...rules].filter(Boolean)) {
        assert.doesNotThrow(() => parseFormula(formula, letters), formula);
      }
    }
  });
}

for (const { name, bytes, expected } of small) {
  test(`${name}: every event and every tensor is read as Python wrote it`, () => {
    const recording = parseRecording(bytes);
    assert.equal(recording.eventCount, expected.events!.length);
    expected.events!.forEach((wanted, at) => {
      const event = recording.event(at);
      assert.equal(Kind[event.kind], wanted['kind']);
      const { Ran, Flowed, Accumulated } = Kind;
      if (event.kind === Ran || event.kind === Flowed || event.kind === Accumulated) {
        for (const [field, value] of Object.entries(event)) {
          const plain = ArrayBuffer.isView(value) ? Array.from(value as Int32Array) : value;
          if (field !== 'kind') assert.deepEqual(plain, wanted[field], `${at} ${field}`);
        }
      }
      const span = recording.span(recording.eventSpan(at));
      assert.deepEqual(span && Object.values(span), wanted['at']);
    });
    expected.tensors!.forEach((wanted, at) => {
      const { role, shape, dtype, name: called, named, values } = recording.tensor(at);
      const numbers = values && Array.from(values, (v) => (Number.isFinite(v) ? v : spelled(v)));
      assert.deepEqual({ role, shape, dtype, name: called, named, values: numbers }, wanted);
    });
  });

  test(`${name}: the facts of another framework are read as Python wrote them`, () => {
    const { foreign, header } = parseRecording(bytes);
    const { aliases, upstreams, libraryEvents, devices } = foreign;
    const rows = (...columns: Int32Array[]): number[][] =>
      Array.from(columns[0]!, (_, at) => columns.map((column) => column[at]!));
    const framework = header.framework ?? '';
    assert.deepEqual(
      {
        framework,
        aliases: rows(aliases.tensors, aliases.storages, aliases.versions),
        upstreams: rows(upstreams.events, upstreams.tensors),
        library: Array.from(libraryEvents),
        devices: rows(devices.tensors, devices.names).map(([at, word]) => [
          at,
          header.strings[word!],
        ]),
        paths: framework
          ? [...header.variables, ...header.groups].map((one) => one.path ?? '')
          : [],
        kinds: framework ? header.groups.map((group) => group.kind ?? '') : [],
      },
      expected.foreign ?? {
        framework: '',
        aliases: [],
        upstreams: [],
        library: [],
        devices: [],
        paths: [],
        kinds: [],
      },
    );
  });

  test(`${name}: the graph is the one that Python builds`, () => {
    const graph = buildGraph(parseRecording(bytes));
    const edges = Array.from(graph.edgeKind, (kind, edge) => [
      graph.edgeFrom[edge],
      graph.edgeTo[edge],
      graph.edgePort[edge],
      EDGES[kind],
    ]);
    assert.deepEqual(edges, expected.edges);
  });

  test(`${name}: the reel shows the frames that Python shows`, () => {
    const model = buildModel(parseRecording(bytes));
    const last = stateAt(model, model.stepCount);
    const frames = Array.from(model.graph.frameKind, (kind, frame) => {
      const node = model.graph.frameNode[frame]!;
      const tensor = tensorOf(model, node);
      return {
        kind: FRAMES[kind],
        event: model.graph.frameEvent[frame],
        node,
        tag: frameTag(model, frame),
        label: frameLabel(model, frame),
        value: tensor ? formatBrief(tensor, 14) : '',
        gradient: tensor ? slotText(model, slotAt(model, last, node), 9) : '',
      };
    });
    assert.deepEqual(frames, expected.frames);
  });

  test(`${name}: every step lights what Python lights`, () => {
    const model = buildModel(parseRecording(bytes));
    const steps = Array.from({ length: model.stepCount }, (_, at) => {
      const current = stateAt(model, at + 1);
      const { phase, frame, node, through } = current;
      const slot = node < 0 ? '' : slotAt(model, current, node).state;
      return { phase, frame, node, label: node < 0 ? '' : labelOf(model, node), through, slot };
    });
    assert.deepEqual(steps, expected.steps);
  });

  test(`${name}: the gradient is as large along the tape as Python finds it`, () => {
    const model = buildModel(parseRecording(bytes));
    const { frames, magnitudes, steps } = flowOf(model) ?? {
      frames: [],
      magnitudes: [],
      steps: [],
    };
    const facts = frames.map((frame, at) => [frame, magnitudes[at]!.health, steps[at]]);
    assert.deepEqual(
      facts,
      expected.flow.map(({ frame, health, step }) => [frame, health, step]),
    );
    expected.flow.forEach(({ size, norm }, at) => {
      const found = magnitudes[at]!;
      for (const [ours, theirs] of [[found.size, size] as const, [found.norm, norm] as const]) {
        if (typeof theirs === 'string') assert.ok(Number.isNaN(ours));
        else assert.ok(Math.abs(ours - theirs) <= 1e-9 * theirs, `${ours} for ${theirs}`);
      }
    });
    assert.equal(firstNonFiniteStep(model), expected.firstNonFinite);
  });

  test(`${name}: large tensors look as Python sees them`, () => {
    const recording = parseRecording(bytes);
    const found = Array.from(recording.looks.tensors, (tensor) => {
      const { form, slices, rows, columns, depth, numbers } = previewOf(recording, tensor)!;
      const ends = [numbers[0]!, numbers.at(-1)!].map((v) => (Number.isFinite(v) ? v : spelled(v)));
      return {
        tensor,
        form: Form[form]!.toUpperCase(),
        shape: [slices, rows, columns, depth],
        ends,
      };
    });
    assert.deepEqual(found, expected.previews);
  });

  test(`${name}: the tape holds as many bytes as Python counts`, () => {
    const { tape, gradients, held, freed } = memoryOf(buildModel(parseRecording(bytes)));
    const lists = { tape: [...tape], gradients: [...gradients], held: [...held] };
    const found = { ...lists, freed };
    assert.deepEqual(found, expected.memory);
  });
}

function spelled(value: number): string {
  return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
}
