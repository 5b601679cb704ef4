import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import type { Explanation, Finding } from '../explanation.js';
import type { FindingSurroundings } from '../extras.js';
import type { Model } from '../model.js';
import type { Action, State } from '../state.js';
import type { BrokenPath } from '../brokenpath.js';
import { say, WORDS } from '../words.js';
import { sourceView } from './code.js';
import type { Mark } from './code.js';
import { button, chip, iconButton, prose } from './parts.js';
import { storyGraph } from './brokenpath.js';

function whyHeader(
  explanation: Explanation,
  state: State,
  dispatch: (action: Action) => void,
): VNode {
  const { connected, partial, target, source } = explanation;
  const title = partial ? WORDS.whyPartial : connected ? WORDS.connected : WORDS.whyNone;
  const several = state.findings > 1;
  const walk = (by: 1 | -1) => () => dispatch({ kind: 'finding', by });
  return h(
    'div',
    { class: 'bar', role: 'toolbar', 'aria-label': WORDS.header },
    h('h3', {}, title),
    h('span', { class: 'muted small' }, WORDS.gradientOf(target, source)),
    h('span', { class: 'push' }),
    several
      ? [
          iconButton('back', WORDS.previousFinding, walk(-1), state.finding === 0),
          h('span', { class: 'num' }, WORDS.findings(state.finding + 1, state.findings)),
          iconButton('next', WORDS.nextFinding, walk(1), state.finding === state.findings - 1),
        ]
      : null,
    connected ? null : chip('none', 'None'),
  );
}

function diffView(fix: NonNullable<Finding['fix']>): VNode {
  const line = (look: string, mark: string, text: string): VNode[] =>
    text.split('\n').map((part) => h('div', { class: look }, h('span', {}, mark), part));
  return h('div', { class: 'diff' }, line('del', '−', fix.before), line('ins', '+', fix.after));
}

function copyWords(after: string): string {
  return after.includes('\n') ? WORDS.copyLines : WORDS.copyLine;
}

function sayView(
  finding: Finding,
  frame: number,
  copied: boolean,
  copy: (() => void) | null,
  others: Child,
  dispatch: (action: Action) => void,
): VNode {
  const { fix } = finding;
  const acts: Child[] = [
    fix && copy ? button(copied ? WORDS.copied : copyWords(fix.after), 'primary', copy) : null,
    button(WORDS.showOnTape, '', () => dispatch({ kind: 'showOnTape', frame })),
  ];
  return h(
    'div',
    { class: 'say', role: 'region', 'aria-live': 'polite', 'aria-label': WORDS.inspector },
    h('h3', {}, prose(finding.title)),
    h('p', {}, prose(finding.message)),
    fix ? [h('h4', {}, WORDS.writeInstead), diffView(fix)] : null,
    h('div', { class: 'acts' }, acts),
    others,
  );
}

/** All findings by their titles, where there are several: each leads to its line and its cut. */
function othersView(
  explanation: Explanation,
  state: State,
  dispatch: (action: Action) => void,
): Child {
  const { findings } = explanation;
  if (findings.length < 2) return null;
  return h(
    'ol',
    { class: 'findings', 'aria-label': say('All findings') },
    findings.map(({ title }, finding) =>
      h(
        'li',
        { key: finding },
        button(prose(title), 'quiet', () => dispatch({ kind: 'showFinding', finding }), {
          'aria-current': finding === state.finding ? 'true' : null,
        }),
      ),
    ),
  );
}

function culpritCode(model: Model, finding: Finding): VNode | null {
  const { where } = finding;
  const source = model.recording.header.sources[where?.source ?? 0];
  if (!source) return null;
  if (!where) return sourceView(source, -1, []);
  const { line, column, end_line: endLine, end_column: endColumn } = where;
  const mark: Mark = {
    span: { source: where.source, line, column, endLine, endColumn },
    tone: 'n',
  };
  return sourceView(source, line, [mark]);
}

function evidenceView(finding: Finding): Child[] {
  const steps = finding.steps.map(({ line, text }) =>
    h('li', {}, h('span', { class: 'muted' }, WORDS.line(line)), h('span', {}, prose(text))),
  );
  return [
    steps.length ? h('ol', { class: 'evidence small' }, steps) : null,
    finding.lesson ? h('p', { class: 'small muted' }, WORDS.lesson(finding.lesson)) : null,
  ];
}

/** Why a gradient is `None`: the culprit, one sentence, the line to write, and the cut. */
export function whyView(
  state: State,
  story: BrokenPath,
  around: FindingSurroundings,
  dispatch: (action: Action) => void,
): VNode[] {
  const { model } = state;
  const explanation = around.explanation!;
  const finding = explanation.findings[state.finding];
  const header = whyHeader(explanation, state, dispatch);
  if (!finding) return [header];
  const say = sayView(
    finding,
    story.frame,
    around.copied,
    around.copy,
    othersView(explanation, state, dispatch),
    dispatch,
  );
  const graph = storyGraph(story, around.hatch, dispatch);
  return [
    header,
    h(
      'div',
      { class: 'why' },
      h('div', { class: 'left' }, culpritCode(model, finding), say),
      h('div', { class: 'graph story' }, graph, evidenceView(finding)),
    ),
  ];
}
