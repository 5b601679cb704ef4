import type { CellLine } from '../cellcode.js';
import type { Chart } from '../chart.js';
import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import type { FrameLayout } from '../framelayout.js';
import type { FullScreen } from '../fullscreen.js';
import { NodeKind } from '../graph.js';
import type { Model } from '../model.js';
import { count } from '../numbers.js';
import { extras, wantExtras } from '../extras.js';
import type { Extras, FindingSurroundings, Room } from '../extras.js';
import { stateAt } from '../stepstate.js';
import type { StepState } from '../stepstate.js';
import type { Question } from '../predict.js';
import { isWindowed } from '../scene.js';
import { placeHere } from '../walk.js';
import { framesOf } from '../stops.js';
import type { Dispatch, State } from '../state.js';
import type { BrokenPath } from '../brokenpath.js';
import { say, WORDS } from '../words.js';
import { breadcrumbs } from './breadcrumbs.js';
import { cellLine, codeView, longestSource } from './code.js';
import { foldBar } from './folds.js';
import { formulaView, inspectorView } from './inspector.js';
import { button, chip, iconButton, prose } from './parts.js';
import { detailsButton, overlayButtons, paneChoice, predictButton, scoreView } from './choices.js';
import { FRAME_WIDTHS, timelineView } from './timeline.js';
import type { TimelinePart } from './timeline.js';
import { stageView } from './stage.js';
import { callName, tracksView } from './time.js';
import { transportView } from './transport.js';

/** What the page contributes to a drawing: sizes, scroll positions, what was copied. */
export interface Surroundings extends FindingSurroundings {
  readonly chart: Chart;
  readonly layout: FrameLayout;
  readonly fullScreen: FullScreen;
  /** Size the graph so that all of it can be seen. */
  readonly fit: () => void;
  /** The room of what stands beside the code. */
  readonly paneRoom: Room;
  /** What the learner is asked now. */
  readonly question: Question | null;
  readonly timeline: TimelinePart;
  readonly story: BrokenPath | null;
}

/** Which gradient to look at, where there were several calls. */
function callChoice(model: Model, dispatch: Dispatch): VNode | null {
  if (model.calls.length < 2) return null;
  const onchange = (event: Event): void =>
    dispatch({ kind: 'call', call: Number((event.target as HTMLSelectElement).value) });
  return h(
    'select',
    { 'aria-label': WORDS.whichCall, onchange },
    model.calls.map((call, at) =>
      h('option', { value: at, selected: at === model.chosen }, callName(model, call)),
    ),
  );
}

function tapeSize(model: Model): string {
  const names = new Set<number>();
  for (let node = 0; node < model.graph.nodeCount; node++) {
    if (model.graph.nodeKind[node] !== NodeKind.Variable) continue;
    names.add(model.recording.tensor(model.graph.nodeTensor[node]!).variable);
  }
  return `${count(model.graph.opCount, 'op')}, ${count(names.size, 'variable')}`;
}

const sizes = new WeakMap<Model['graph'], string>();

/** To the whole screen and back; nothing where the page does not allow it. */
function fullScreenButton(fullScreen: FullScreen): VNode | null {
  if (!fullScreen.isAllowed) return null;
  const label = fullScreen.isOn ? say('Leave full screen') : say('Full screen');
  return iconButton(fullScreen.isOn ? 'reduce' : 'enlarge', label, fullScreen.toggle, false, {
    'aria-keyshortcuts': 'e',
  });
}

function header(state: State, around: Surroundings, dispatch: Dispatch): VNode {
  const { model } = state;
  const explained = around.explanation !== null && state.findings > 0;
  const size = sizes.get(model.graph) ?? tapeSize(model);
  sizes.set(model.graph, size);
  return h(
    'div',
    { class: 'bar', role: 'toolbar', 'aria-label': WORDS.header },
    h('h3', {}, model.recording.header.tape.name || WORDS.untitled),
    h('span', { class: 'muted small' }, size),
    h('span', { class: 'push' }),
    callChoice(model, dispatch),
    paneChoice(state, dispatch),
    around.layout.code === 'cell' ? detailsButton(state, dispatch) : null,
    predictButton(state, dispatch),
    scoreView(state),
    explained ? button(WORDS.askWhy, 'quiet', () => dispatch({ kind: 'view', view: 'why' })) : null,
    overlayButtons(state, dispatch),
    fullScreenButton(around.fullScreen),
  );
}

function keyView(model: Model, chart: Chart, current: StepState): VNode {
  const entry = (look: VNode, word: string): VNode => h('span', {}, look, word);
  const backward = current.phase === 'backward';
  const zeros = model.backwardPass?.gradientCall.zeros === true;
  const none = zeros
    ? entry(chip('nonezero', '0'), WORDS.shownAsZero)
    : entry(chip('none', 'None'), WORDS.noPath);
  const windowed = isWindowed(chart)
    ? h('span', {}, WORDS.windowed(count(model.graph.opCount, 'op')))
    : null;
  return h(
    'div',
    { class: 'key' },
    entry(chip('pending'), WORDS.pending),
    backward
      ? [entry(chip('value', '3.0'), WORDS.gradient), entry(chip('zero', '0'), WORDS.zero), none]
      : null,
    windowed,
  );
}

function timelineWrap(alone: boolean, timeline: VNode): VNode {
  const look = alone ? 'timelinewrap alone' : 'timelinewrap';
  return h('div', { class: look, role: 'group', 'aria-label': WORDS.tape }, timeline);
}

/** What is asked, unless its place would give the answer away. */
function visibleQuestion(question: Question | null): Question | null {
  return question?.asks === 'op' ? null : question;
}

/** The step whose code is shown, and whether that is without its values. */
function codeOf(
  { model, step }: State,
  question: Question | null,
): readonly [current: StepState, hidesResult: boolean] {
  const visible = visibleQuestion(question);
  return [stateAt(model, visible?.step ?? step), visible !== null];
}

/** What the cell shows that the code came from; null beside an explanation, which has code of its own. */
export function lineInCell(state: State, question: Question | null): CellLine | null {
  return state.view === 'tape' ? cellLine(state.model, ...codeOf(state, question)) : null;
}

/** Whether anything stands beside the graph that one line could not say. */
export function needsSide({ view, selected, predicting, details }: State): boolean {
  return view === 'why' || selected >= 0 || predicting !== 'off' || details;
}

/** The graph, or what was chosen to stand in its place. */
function besideCode(
  state: State,
  current: StepState,
  around: Surroundings,
  dispatch: Dispatch,
): Child {
  if (state.pane !== 'graph') {
    const more = wantExtras();
    return more
      ? more.pane(state, current, around.paneRoom, around.hatch, dispatch)
      : h(
          'p',
          { class: 'muted' },
          say('This view comes from the kernel: one moment, or run the cell again.'),
        );
  }
  const question = visibleQuestion(around.question);
  const options = {
    selected: state.selected,
    hatch: around.hatch,
    dispatch,
    ...(question ? { questionNode: question.node } : {}),
  };
  return [
    breadcrumbs(state, dispatch),
    stageView(state.model, around.chart, current, state.zoom, options, {
      id: around.hatch,
      here: placeHere(state, around.chart),
      walk: state.walk,
    }),
    h(
      'div',
      { class: 'below' },
      keyView(state.model, around.chart, current),
      foldBar(state, around.fit, dispatch),
    ),
  ];
}

/** What the learner is asked, or else what this step is about. */
function questionOrInspector(
  state: State,
  current: StepState,
  around: Surroundings,
  dispatch: Dispatch,
): Child {
  const { model, predicting, selected, slice } = state;
  const { question } = around;
  const more = predicting === 'off' ? null : wantExtras();
  if (question && more && selected < 0) return more.question(model, question, dispatch);
  const inspector = inspectorView(model, current, selected, { at: slice, dispatch });
  const words = current.phase === 'backward' ? wantExtras() : extras();
  return [more && more.verdict(state, dispatch), inspector, words?.terms()];
}

function tapeView(state: State, around: Surroundings, dispatch: Dispatch): VNode[] {
  const { model } = state;
  const current = stateAt(model, state.step);
  const { timeline: look, bare, code } = around.layout;
  const frames = framesOf(state);
  return [
    header(state, around, dispatch),
    h(
      'div',
      { class: 'body' },
      bare
        ? null
        : h(
            'div',
            { class: 'left', style: `--lines:${longestSource(model)}` },
            code === 'strip' ? codeView(model, ...codeOf(state, around.question)) : null,
            h('div', { class: 'about' }, questionOrInspector(state, current, around, dispatch)),
          ),
      h('div', { class: 'graph' }, besideCode(state, current, around, dispatch)),
    ),
    h(
      'div',
      { class: 'foot' },
      bare ? formulaView(model, current, { at: state.slice, dispatch }) : null,
      transportView(model, current, state, dispatch),
      tracksView(state, current, dispatch),
      timelineWrap(
        false,
        timelineView(model, current, around.timeline, frames, FRAME_WIDTHS[look], dispatch),
      ),
    ),
  ];
}

/** In the story of a `None` no frame is current: all of it has happened. */
function atRest(current: StepState): StepState {
  return { ...current, phase: 'forward', frame: -1, backwardSteps: 0 };
}

/** In the story, a frame or a node leads to its place on the tape. */
function towardsTape(model: Model, dispatch: Dispatch): Dispatch {
  return (action) => {
    const frame =
      action.kind === 'frame'
        ? action.frame
        : action.kind === 'select'
          ? model.graph.nodeFrame[action.node]!
          : -1;
    if (frame >= 0) dispatch({ kind: 'showOnTape', frame });
    else if (action.kind !== 'select') dispatch(action);
  };
}

function brokenPathView(
  state: State,
  story: BrokenPath,
  why: NonNullable<Extras['why']>,
  around: Surroundings,
  dispatch: Dispatch,
): VNode[] {
  const { model } = state;
  const lead = towardsTape(model, dispatch);
  const current = atRest(stateAt(model, model.stepCount));
  const width = FRAME_WIDTHS[around.layout.timeline];
  const timeline = timelineView(
    model,
    current,
    around.timeline,
    framesOf(state),
    width,
    lead,
    story.cutFrame,
  );
  return [...why(state, story, around, lead), timelineWrap(true, timeline)];
}

/** The whole widget at one state. */
export function explorerView(state: State, around: Surroundings, dispatch: Dispatch): VNode[] {
  if (state.model.stepCount === 0) {
    return [
      stateView(
        WORDS.emptyTitle,
        prose(WORDS.emptyAdvice),
        h('div', { class: 'emptytimeline', 'aria-hidden': 'true' }),
      ),
    ];
  }
  const why = extras()?.why;
  const overlay = state.overlay && wantExtras()?.overlay(state, around.hatch, dispatch);
  const view =
    state.view === 'why' && around.story && why
      ? brokenPathView(state, around.story, why, around, dispatch)
      : tapeView(state, around, dispatch);
  return overlay ? [...view, overlay] : view;
}

/** A card that stands where the picture would: empty, loading, unreadable. */
export function stateView(title: string, advice: Child, more: Child = null): VNode {
  return h(
    'div',
    { class: 'state' },
    h('b', {}, title),
    advice ? h('p', { class: 'muted' }, advice) : null,
    more,
  );
}

/** How far reading has come. */
export function loadingView(ops: number, part: number): VNode {
  const percent = Math.round(part * 100);
  const title = WORDS.reading(count(ops, 'op'));
  return stateView(
    title,
    null,
    h(
      'div',
      { class: 'meter', role: 'progressbar', 'aria-valuenow': percent, 'aria-label': title },
      h('i', { style: `width:${percent}%` }),
    ),
  );
}
