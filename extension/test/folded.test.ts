import assert from 'node:assert/strict';
import test from 'node:test';
import { chartOf } from '../src/core/chart.js';
import {
  faceOf,
  foldedGraph,
  foldsIn,
  openAround,
  shownFor,
  iterationOf,
} from '../src/core/folded.js';
import { buildModel } from '../src/core/model.js';
import type { Model } from '../src/core/model.js';
import { parseRecording } from '../src/core/recording.js';
import { cells, fitted } from '../src/core/text.js';
import { goldenBytes } from './goldens.js';
import { someOpen } from './random.js';

function model(name: string): Model {
  return buildModel(parseRecording(goldenBytes(name)));
}

for (const name of ['loops', 'iterations', 'composite', 'chain']) {
  test(`${name}: whatever is open, roads lead on and every edge is drawn once`, () => {
    const whole = model(name);
    for (let seed = 1; seed <= 12; seed++) {
      const open = someOpen(whole, seed);
      const folded = foldedGraph(whole, open);
      const chart = chartOf(whole, 'right', { folded });
      const { layerOf } = chart.layout;
      for (let edge = 0; edge < chart.edges.length; edge++) {
        const { from, to } = chart.ends(edge);
        assert.ok(layerOf[from]! < layerOf[to]!, `seed ${seed}, edge ${edge}`);
      }
      const between = whole.graph.edgeCount - folded.placeOfEdge.filter((at) => at < 0).length;
      assert.equal(
        folded.edgeCounts.reduce((sum, count) => sum + count, 0),
        between,
      );
      for (let node = 0; node < whole.graph.nodeCount; node++) {
        assert.equal(chart.nodes[chart.placeOf(node)], shownFor(whole, open, node));
      }
    }
  });
}

test('an op that uses a value twice keeps both edges, a folded loop has one for all', () => {
  const open = foldedGraph(model('fan_out'), null);
  assert.equal(open.edges.length, model('fan_out').graph.edgeCount);
  const closed = foldedGraph(model('iterations'), new Set());
  assert.equal(closed.edges.length, 1);
  assert.equal(closed.edgeCounts[0], 15);
});

test('the iteration of a node is found in loops of ops, in ranges and in loops in loops', () => {
  const chain = model('chain');
  const folds = foldsIn(chain);
  for (const iteration of [1, 9, 10, 11, 999, 2000]) {
    const node = folds.first[0]! + iteration - 1;
    assert.deepEqual(iterationOf(chain.graph, folds, 0, node), { node, iteration });
  }
  const loops = model('loops');
  const outer = foldsIn(loops);
  assert.equal(iterationOf(loops.graph, outer, 0, outer.last[9]!)!.iteration, 2);
  assert.equal(iterationOf(loops.graph, outer, 2, outer.last[4]!)!.iteration, 2);
  assert.equal(iterationOf(loops.graph, outer, 2, outer.last[9]!), null);
});

test('a closed fold says how much is in it, and which iterations', () => {
  const chain = model('chain');
  const folds = foldsIn(chain);
  const face = (fold: number) => faceOf(chain, folds.last[fold]!, folds, fold);
  assert.deepEqual(face(0), { label: 'y', glyph: '×2000', corner: '' });
  assert.deepEqual(face(1), { label: 'y', glyph: '×1000', corner: '1–1000' });
  const composite = model('composite');
  const [label, glyph] = ['reduce_std', '5 ops'];
  assert.deepEqual(faceOf(composite, 5, foldsIn(composite), 0), { label, glyph, corner: '' });
});

test('the fold around a node is the innermost open one', () => {
  const composite = model('composite');
  assert.equal(openAround(composite, new Set([0, 1, 2]), 1), 1);
  assert.equal(openAround(composite, new Set([0]), 1), 0);
  assert.equal(openAround(composite, new Set(), 1), -1);
});

test('letters are counted as wide as they are', () => {
  assert.equal(cells('loss'), 4);
  assert.equal(cells('größe'), 5);
  assert.equal(cells('损失'), 4);
  assert.equal(cells('e\u0301'), 1);
});

test('a text that is too long loses its middle, and no more than it must', () => {
  assert.equal(fitted('loss', 4), 'loss');
  assert.equal(fitted('the_hidden_layer', 9), 'the_…ayer');
  assert.equal(fitted('损失损失损失', 7), '损…失');
  for (let room = 3; room < 16; room++) {
    assert.ok(cells(fitted('the_hidden_layer', room)) <= room);
  }
});
