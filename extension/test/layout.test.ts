import assert from 'node:assert/strict';
import test from 'node:test';
import { layOut } from '../src/core/layout.js';
import type { Direction, Layout, Measures, Net } from '../src/core/layout.js';

const WIDTH = 136;
const HEIGHT = 78;

function measures(direction: Direction = 'right'): Measures {
  return { direction, height: HEIGHT, width: () => WIDTH, layerGap: () => 116, besideGap: 102 };
}

function net(count: number, edges: readonly (readonly [number, number])[]): Net {
  return { count, from: edges.map(([from]) => from), to: edges.map(([, to]) => to) };
}

/** A graph that looks like a program: every node uses a few earlier ones. */
function program(count: number): Net {
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 48271) % 2147483647) % below;
  const edges: [number, number][] = [];
  for (let node = 3; node < count; node++) {
    edges.push([Math.max(0, node - 1 - random(4)), node], [random(node), node]);
  }
  return net(count, edges);
}

function assertNoOverlap({ x, y }: Layout): void {
  for (let a = 0; a < x.length; a++) {
    for (let b = a + 1; b < x.length; b++) {
      const apart = Math.abs(x[a]! - x[b]!) >= WIDTH || Math.abs(y[a]! - y[b]!) >= HEIGHT;
      assert.ok(apart, `nodes ${a} and ${b} overlap`);
    }
  }
}

test('the graph of scene a stands as it is designed', () => {
  const layout = layOut(
    net(5, [
      [0, 2],
      [1, 2],
      [0, 3],
      [2, 4],
      [3, 4],
    ]),
    measures(),
  );
  const [x, y, times, sin, z] = layout.y;
  assert.ok(x! < y! && sin! < times!, 'x above y, sin above ×');
  assert.equal(x, sin);
  assert.equal(y, times);
  assert.equal(z, (x! + y!) / 2);
});

for (const direction of ['right', 'down'] as const) {
  test(`laid out ${direction}, nodes do not overlap and every road leads onwards`, () => {
    const graph = program(120);
    const layout = layOut(graph, measures(direction));
    assertNoOverlap(layout);
    const along = direction === 'right' ? layout.x : layout.y;
    for (let edge = 0; edge < graph.from.length; edge++) {
      assert.ok(along[graph.from[edge]!]! < along[graph.to[edge]!]!, `edge ${edge}`);
    }
  });
}

test('downwards there are at most two nodes in a row', () => {
  const layout = layOut(program(80), measures('down'));
  assert.ok(layout.layers.every((row) => row.length <= 2));
});

test('a variable stands next to the first op that uses it', () => {
  const layout = layOut(
    net(5, [
      [0, 1],
      [1, 2],
      [2, 4],
      [3, 4],
    ]),
    measures(),
  );
  assert.equal(layout.layerOf[3], layout.layerOf[4]! - 1);
});

test('a road across very many layers takes a lane beside the graph', () => {
  const chain = Array.from({ length: 40 }, (_, at): [number, number] => [at, at + 1]);
  const layout = layOut(net(41, [...chain, [0, 40]]), measures());
  assert.equal(layout.bypasses.size, 1);
  assert.ok([...layout.bypasses.values()][0]! < layout.y[20]!);
});

test('a hundred thousand ops are laid out without recursion', () => {
  const chain = Array.from({ length: 100_000 }, (_, at): [number, number] => [at, at + 1]);
  const layout = layOut(net(100_001, chain), measures());
  assert.equal(layout.layers.length, 100_001);
  assert.ok(layout.y.every((y) => y === layout.y[0]));
});

test('a weight used by every op shares one lane', () => {
  const steps = Array.from({ length: 2000 }, (_, at): [number, number][] => [
    [at, at + 2],
    [1, at + 2],
  ]);
  const layout = layOut(
    net(
      2002,
      steps.flat().filter(([from, to]) => from < to),
    ),
    measures(),
  );
  assert.equal(new Set(layout.bypasses.values()).size, 1);
});

test('a loop runs straight, the constants it uses stand beside it', () => {
  const edges: [number, number][] = [];
  let last = 0;
  for (let at = 1; at < 60; at += 3) {
    edges.push([last, at + 1], [at, at + 1], [at + 1, at + 2]);
    last = at + 2;
  }
  const layout = layOut(net(61, edges), measures());
  assert.ok(layout.height < 3 * (HEIGHT + 102), `${layout.height} high`);
});
