import assert from 'node:assert/strict';
import test from 'node:test';
import type { Explanation } from '../src/core/explanation.js';
import { NodeKind } from '../src/core/graph.js';
import { buildModel } from '../src/core/model.js';
import { labelOf } from '../src/core/stepstate.js';
import { parseRecording } from '../src/core/recording.js';
import { brokenPathOf } from '../src/core/brokenpath.js';
import type { BrokenPath } from '../src/core/brokenpath.js';
import { goldenBytes } from './goldens.js';

function storyAbout(
  name: string,
  target: string,
  source: string,
  evidence: number[] = [],
): BrokenPath {
  const explanation: Explanation = {
    target,
    source,
    connected: false,
    partial: false,
    findings: [],
  };
  const finding = {
    code: '',
    title: '',
    message: '',
    where: null,
    fix: null,
    lesson: '',
    evidence,
    steps: [],
  };
  return brokenPathOf(buildModel(parseRecording(goldenBytes(name))), explanation, finding, 'right');
}

function names(story: BrokenPath): string[] {
  return Array.from(story.chart.nodes, (node) => labelOf(story.model, node));
}

function cutEnds({ model, cut }: BrokenPath): [string, string] {
  const { edgeFrom, edgeTo } = model.graph;
  return [labelOf(model, edgeFrom[cut]!), labelOf(model, edgeTo[cut]!)];
}

test('a value that left the tape is cut where it left', () => {
  const story = storyAbout('numpy_detour', 'loss', 'x');
  assert.deepEqual(names(story), ['x', 'h', 'm', 'loss']);
  assert.deepEqual(cutEnds(story), ['h', 'm']);
  assert.equal(story.model.graph.nodeKind[story.culprit], NodeKind.Off);
  assert.equal(story.cutFrame, 2);
});

test('an assignment is cut between what was stored and who stored it', () => {
  const story = storyAbout('assigned', 'y', 'x0');
  assert.deepEqual(names(story), ['x0', 'x1', 'y']);
  assert.deepEqual(cutEnds(story), ['x0', 'x1']);
});

test('a path that was never on the tape is cut where it enters the first op', () => {
  const recording = parseRecording(goldenBytes('not_watched'));
  const first = buildModel(recording).graph.frameEvent[0]!;
  const { target, source } = ends('not_watched');
  const story = storyAbout('not_watched', target, source, [first]);
  assert.ok(story.cut >= 0);
  assert.equal(story.cutFrame, -1, 'nothing on the tape to tear');
});

test('a gradient that is stopped is cut where it enters what stops it', () => {
  const { nodeOfEvent, nodeKind } = buildModel(parseRecording(goldenBytes('stop_gradient'))).graph;
  const ops = [...nodeOfEvent.keys()].filter(
    (event) => nodeKind[nodeOfEvent[event]!] === NodeKind.Op,
  );
  const story = storyAbout('stop_gradient', 'z', 'x', [ops[1]!]);
  assert.deepEqual(cutEnds(story), ['x * x', 'level']);
  assert.equal(story.frame, story.model.graph.nodeFrame[story.culprit]);
});

/** The names of what was asked for, as far as the tape knows them. */
function ends(name: string): { target: string; source: string } {
  const model = buildModel(parseRecording(goldenBytes(name)));
  const { targets, sources } = model.backwardPass!.gradientCall;
  const label = (tensor: number): string => labelOf(model, model.graph.nodeOfTensor[tensor]!);
  return { target: label(targets[0]!), source: label(sources[0]!) };
}
