import assert from 'node:assert/strict';
import test from 'node:test';
import { boxesOf } from '../src/core/boxes.js';
import { chartOf } from '../src/core/chart.js';
import { foldedGraph, foldsIn, openFoldsAround } from '../src/core/folded.js';
import { foldName } from '../src/core/folds.js';
import { buildModel } from '../src/core/model.js';
import type { Model } from '../src/core/model.js';
import { parseRecording } from '../src/core/recording.js';
import { AT_FIRST } from '../src/core/state.js';
import type { State } from '../src/core/state.js';
import { framesOf, stopBy } from '../src/core/stops.js';
import { createStore } from '../src/core/store.js';
import { passingText } from '../src/core/edgetexts.js';
import { goldenBytes } from './goldens.js';

const modules = (): Model => buildModel(parseRecording(goldenBytes('modules')));
const NONE: ReadonlySet<number> = new Set();

function named(model: Model, ...names: string[]): Set<number> {
  const folds = foldsIn(model);
  const wanted = names.map((name) =>
    folds.kind.findIndex((_, fold) => foldName(model, folds, fold) === name),
  );
  assert.ok(!wanted.includes(-1), `${names}`);
  return new Set(wanted);
}

function frameCount(model: Model, open: ReadonlySet<number>): number {
  return framesOf({ model, open, view: 'tape' }).count;
}

/** The steps at which one stops on the way from an end to the other. */
function stops(model: Model, open: ReadonlySet<number>, by: 1 | -1 = 1): number[] {
  const end = by > 0 ? model.stepCount : stopBy(model, open, 0, 1);
  const all = [stopBy(model, open, by > 0 ? 0 : model.stepCount + 1, by)];
  while (all.at(-1) !== end) all.push(stopBy(model, open, all.at(-1)!, by));
  return all;
}

test('with everything open, each step is one', () => {
  const model = modules();
  const open = new Set(foldsIn(model).kind.keys());
  assert.deepEqual(
    stops(model, open),
    Array.from({ length: model.stepCount }, (_, at) => at + 1),
  );
});

test('a closed module is one step forwards', () => {
  const model = modules();
  const forward = stops(model, NONE).filter((step) => step <= model.graph.frameCount);
  const outside = frameCount(model, NONE);
  assert.equal(forward.length, outside);
  assert.ok(outside < model.graph.frameCount / 3, `${outside} of ${model.graph.frameCount}`);
  const inside = frameCount(model, named(model, 'net'));
  assert.ok(outside < inside && inside < model.graph.frameCount);
});

test('stepping back stops where stepping on did', () => {
  const model = modules();
  for (const open of [NONE, named(model, 'net'), named(model, 'net', 'blocks[1]')]) {
    const on = stops(model, open);
    const back = stops(model, open, -1).reverse();
    assert.deepEqual(back, on);
    assert.equal(on.at(-1), model.stepCount);
  }
});

test('a backward step through a closed module ends where the gradient has left it', () => {
  const model = modules();
  const open = named(model, 'net');
  const { graph, backwardPass } = model;
  const folds = foldsIn(model);
  const [block] = named(model, 'blocks[2]');
  const through = stops(model, open)
    .map((step) => step - graph.frameCount - 1)
    .filter((flow) => flow >= 0 && folds.ofNode[backwardPass!.through[flow]!] === block);
  assert.equal(through.length, 1);
  const receiver = backwardPass!.receiver[through[0]!]!;
  assert.notEqual(folds.ofNode[receiver], block);
});

function storeOf(model: Model, open: ReadonlySet<number> | null) {
  const state: State = { ...AT_FIRST, model, step: 1, view: 'tape', findings: 0, open };
  return createStore(state);
}

test('the buttons step from call to call, and a scrubbed step is any', () => {
  const model = modules();
  const store = storeOf(model, NONE);
  store.dispatch({ kind: 'go', step: 3 });
  assert.equal(store.state().step, 3);
  store.dispatch({ kind: 'next' });
  const [end] = stops(model, NONE).filter((step) => step > 3);
  assert.equal(store.state().step, end);
});

test('going back to a call closes what is open inside it, and nothing else', () => {
  const model = modules();
  const store = storeOf(model, named(model, 'net', 'blocks[0]', 'blocks[1]'));
  const [net] = named(model, 'net');
  store.dispatch({ kind: 'foldInside', fold: net! });
  assert.deepEqual(store.state().open, named(model, 'net'));
  store.dispatch({ kind: 'foldInside', fold: -1 });
  assert.equal(store.state().open, null);
});

test('the calls around a node are told from the outermost on', () => {
  const model = modules();
  const folds = foldsIn(model);
  const open = named(model, 'net', 'blocks[1]');
  const [block] = named(model, 'blocks[1]');
  const around = openFoldsAround(model, open, folds.last[block!]!);
  assert.deepEqual(
    around.map((fold) => foldName(model, folds, fold)),
    ['net', 'blocks[1]'],
  );
});

test('an open call stands in a box that holds its nodes and no others', () => {
  const model = modules();
  const open = named(model, 'net', 'blocks[1]');
  const chart = chartOf(model, 'right', { folded: foldedGraph(model, open) });
  const boxes = boxesOf(chart);
  assert.deepEqual(new Set(boxes.map((box) => box.fold)), open);
  const [net, block] = boxes;
  assert.ok(net!.x < block!.x && net!.y < block!.y && net!.width > block!.width);
  const folds = foldsIn(model);
  for (let place = 0; place < chart.nodes.length; place++) {
    const [x, y] = [chart.layout.x[place]!, chart.layout.y[place]!];
    const [box] = boxes.filter(({ fold }) => fold === [...named(model, 'blocks[1]')][0]);
    const inside =
      x >= box!.x && y >= box!.y && x < box!.x + box!.width && y < box!.y + box!.height;
    const belongs = chart.foldAt(place) < 0 && folds.ofNode[chart.nodes[place]!] === box!.fold;
    assert.equal(inside, belongs);
  }
});

test('an edge between calls says what goes along it', () => {
  const model = modules();
  const chart = chartOf(model, 'right', { folded: foldedGraph(model, named(model, 'net')) });
  const texts = Array.from(chart.edges, (_, edge) => passingText(model, chart, edge));
  assert.ok(texts.includes('0.9640'), texts.join()); // tanh 2, from one block to the next
});

test('the timeline has a frame for each step, named after its call', () => {
  const model = modules();
  const open = named(model, 'net');
  const folds = foldsIn(model);
  const frames = framesOf({ model, open, view: 'tape' });
  const places = Array.from({ length: frames.count }, (_, place) => place);
  const calls = places.flatMap((place) => {
    const fold = frames.foldAt(place);
    return fold < 0 ? [] : [foldName(model, folds, fold)];
  });
  assert.deepEqual(calls, ['blocks[0]', 'blocks[1]', 'blocks[2]']);
  for (let frame = 0; frame < model.graph.frameCount; frame++) {
    const place = frames.placeOf(frame);
    assert.ok(frames.frameAt(place) >= frame && (!place || frames.frameAt(place - 1) < frame));
  }
  assert.equal(framesOf({ model, open, view: 'why' }).count, model.graph.frameCount);
});
