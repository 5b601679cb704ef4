import assert from 'node:assert/strict';
import { test as inNode } from 'node:test';
import type { Chart } from '../src/core/chart.js';
import type { Model } from '../src/core/model.js';
import { stateAt } from '../src/core/stepstate.js';
import { placeAt, visiblePart } from '../src/core/scene.js';
import type { Camera } from '../src/core/scene.js';
import { paint } from '../src/core/views/canvas.js';
import { dice, foldedChart, randomChart } from './random.js';

const SEEDS = Array.from({ length: 30 }, (_, at) => at + 1);
const HIGHLIGHT = { selected: -1 };

type Drawn = Chart & { readonly model: Model };

function charts(seed: number): Drawn[] {
  return [randomChart(seed, 'right'), randomChart(seed, 'down'), foldedChart(seed, 'right')];
}

/** A camera somewhere over a chart, or partly beside it. */
function someCamera({ layout }: Chart, seed: number): Camera {
  const roll = dice(seed);
  return {
    x: roll(Math.ceil(layout.width) + 1),
    y: roll(Math.ceil(layout.height) + 1),
    width: 100 + roll(900),
    height: 80 + roll(500),
  };
}

function sees(chart: Chart, camera: Camera, place: number): boolean {
  const [x, y] = [chart.layout.x[place]!, chart.layout.y[place]!];
  return (
    x <= camera.x + camera.width / 2 &&
    x + chart.widthOf(place) >= camera.x - camera.width / 2 &&
    y <= camera.y + camera.height / 2 &&
    y + chart.ports.height >= camera.y - camera.height / 2
  );
}

/** Whether the layer that a place is in reaches into the view. */
function seesLayer({ layout }: Chart, camera: Camera, place: number): boolean {
  const { direction, layerOf, layerStart, layerEnd } = layout;
  const { x, y, width, height } = camera;
  const [at, length] = direction === 'down' ? [y, height] : [x, width];
  const layer = layerOf[place]!;
  return layerStart[layer]! <= at + length / 2 && layerEnd[layer]! >= at - length / 2;
}

/** A canvas that notes where something was drawn, as seen on it, and what was written. */
function canvas(camera: Camera): { element: HTMLCanvasElement; marks: number[]; words: string[] } {
  const marks: number[] = [];
  const words: string[] = [];
  let [left, top] = [0, 0];
  const at = (x: number, y: number): void => void marks.push(left + x, top + y);
  const known: Record<string, unknown> = {
    translate: (x: number, y: number) => ([left, top] = [left + x, top + y]),
    roundRect: (x: number, y: number) => at(x, y),
    moveTo: at,
    lineTo: at,
    fillText: (text: string, x: number, y: number) => (words.push(text), at(x, y)),
  };
  const context = new Proxy(known, { get: (has, name: string) => has[name] ?? (() => {}) });
  const { width: clientWidth, height: clientHeight } = camera;
  const element = { clientWidth, clientHeight, getContext: () => context, parentElement: null };
  return { element: element as unknown as HTMLCanvasElement, marks, words };
}

const BROWSER = {
  window: { devicePixelRatio: 1 },
  getComputedStyle: () => ({ getPropertyValue: (token: string) => token }),
  Path2D: class {},
};

/** A test to which Node looks like a browser; the tests of other files go on without one. */
function test(name: string, body: () => void): void {
  void inNode(name, () => {
    Object.assign(globalThis, BROWSER);
    try {
      body();
    } finally {
      for (const each of Object.keys(BROWSER)) Reflect.deleteProperty(globalThis, each);
    }
  });
}

test('a camera sees the boxes that reach into it, none of other layers, and all their roads', () => {
  for (const seed of SEEDS) {
    for (const chart of charts(seed)) {
      const camera = someCamera(chart, seed);
      const { places, edges } = visiblePart(chart, camera);
      for (const place of chart.layout.x.keys()) {
        const received = `seed ${seed}, box ${place}`;
        if (places.includes(place)) assert.ok(seesLayer(chart, camera, place), received);
        else assert.ok(!sees(chart, camera, place), received);
      }
      for (let edge = 0; edge < chart.edges.length; edge++) {
        const { from, to } = chart.ends(edge);
        const touches = places.includes(from) || places.includes(to);
        assert.equal(edges.includes(edge), touches, `seed ${seed}, edge ${edge}`);
      }
    }
  }
});

test('what is under a point is the box that holds it, and nothing between boxes', () => {
  for (const seed of SEEDS) {
    for (const chart of charts(seed)) {
      const { x, y, width, height } = chart.layout;
      const camera = { x: width / 2, y: height / 2, width: width + 50, height: height + 50 };
      for (const place of x.keys()) {
        const [right, below] = [x[place]! + chart.widthOf(place), y[place]! + chart.ports.height];
        assert.equal(placeAt(chart, camera, x[place]! + 1, y[place]! + 1), place);
        assert.equal(placeAt(chart, camera, right - 1, below - 1), place);
        assert.notEqual(placeAt(chart, camera, right + 1, below - 1), place);
        assert.notEqual(placeAt(chart, camera, right - 1, below + 1), place);
      }
    }
  }
});

test('each box in view is painted once, with its title, at every step', () => {
  for (const seed of SEEDS) {
    for (const chart of charts(seed)) {
      const camera = someCamera(chart, seed);
      const step = 1 + dice(seed)(chart.model.stepCount);
      const { element, marks, words } = canvas(camera);
      const current = stateAt(chart.model, step);
      paint(element, { model: chart.model, chart, current, camera, zoom: 1, highlight: HIGHLIGHT });
      assert.ok(marks.every(Number.isFinite), `seed ${seed}: a mark at no place`);
      const { places } = visiblePart(chart, camera);
      const glyphs = places.map((place) => chart.faceOf(place).glyph).filter(Boolean);
      const written = [...words];
      for (const glyph of glyphs) {
        const found = written.indexOf(glyph);
        assert.ok(found >= 0, `seed ${seed}, step ${step}: ${glyph} is missing`);
        written.splice(found, 1);
      }
    }
  }
});

test('nothing is painted where the camera sees nothing', () => {
  const chart = randomChart(3, 'right');
  const camera = { x: -5000, y: -5000, width: 400, height: 300 };
  const { element, marks } = canvas(camera);
  const current = stateAt(chart.model, 1);
  paint(element, { model: chart.model, chart, current, camera, zoom: 1, highlight: HIGHLIGHT });
  assert.deepEqual(marks, []);
});
