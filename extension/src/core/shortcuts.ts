import { openAround } from './folded.js';
import { extras } from './extras.js';
import { stateAt } from './stepstate.js';
import { PANES, TITLES } from './state.js';
import type { Action, State } from './state.js';
import { say } from './words.js';

type Act = (state: State) => Action | null;

type Plain =
  | 'next'
  | 'previous'
  | 'first'
  | 'last'
  | 'backward'
  | 'toggle'
  | 'nextSum'
  | 'firstOdd'
  | 'predict'
  | 'takeBack';

const kind =
  (name: Plain): Act =>
  () => ({ kind: name });

/** Close the innermost fold that is open around the current node. */
function foldAroundHere({ model, open, selected, step }: State): Action | null {
  const node = selected >= 0 ? selected : stateAt(model, step).node;
  const fold = openAround(model, open, node);
  return fold < 0 ? null : { kind: 'fold', fold };
}

const zoom =
  (by: -1 | 0 | 1): Act =>
  () => ({ kind: 'zoom', by });

const iteration =
  (by: -1 | 1): Act =>
  (state) =>
    (state.view === 'tape' && extras()?.iterationBy(state, by)) || null;

/** Keys, what they do wherever in the widget the focus is, and how the list of keys says that. */
interface Shortcut {
  readonly keys: readonly string[];
  readonly says: () => string;
  readonly act: Act;
}

const panes: readonly Shortcut[] = PANES.map((pane, at) => ({
  keys: [String(at + 1)],
  says: () => say('Show {pane}', { pane: say(TITLES[pane]) }),
  act: () => ({ kind: 'pane', pane }),
}));

/** Every key, in the order of the list. */
const SHORTCUTS: readonly Shortcut[] = [
  { keys: ['ArrowRight', '.'], says: () => say('Step'), act: kind('next') },
  { keys: ['ArrowLeft', ','], says: () => say('Step back'), act: kind('previous') },
  { keys: ['Home'], says: () => say('First step'), act: kind('first') },
  { keys: ['End'], says: () => say('Last step'), act: kind('last') },
  { keys: [' '], says: () => say('Play or pause'), act: kind('toggle') },
  { keys: ['b'], says: () => say('Start of the backward pass'), act: kind('backward') },
  { keys: ['s'], says: () => say('Next place where paths meet'), act: kind('nextSum') },
  {
    keys: ['n'],
    says: () => say('First NaN or infinity; next result of a search'),
    act: ({ overlay }) => (overlay === 'hits' ? { kind: 'goToHit', by: 1 } : { kind: 'firstOdd' }),
  },
  {
    keys: ['N'],
    says: () => say('Previous result of a search'),
    act: ({ overlay }) => (overlay === 'hits' ? { kind: 'goToHit', by: -1 } : null),
  },
  {
    keys: ['/'],
    says: () => say('Search ops, variables and lines'),
    act: () => ({ kind: 'overlay', overlay: 'search' }),
  },
  { keys: ['PageDown'], says: () => say('Next iteration of a loop'), act: iteration(1) },
  { keys: ['PageUp'], says: () => say('Previous iteration of a loop'), act: iteration(-1) },
  { keys: ['f'], says: () => say('Open or close the group here'), act: () => ({ kind: 'fold' }) },
  { keys: ['F'], says: () => say('Close the group around'), act: foldAroundHere },
  { keys: ['+', '='], says: () => say('Larger'), act: zoom(1) },
  { keys: ['-'], says: () => say('Smaller'), act: zoom(-1) },
  { keys: ['0'], says: () => say('Usual size'), act: zoom(0) },
  ...panes,
  { keys: ['p'], says: () => say('Predict'), act: kind('predict') },
  { keys: ['u'], says: () => say('Take the last answer back'), act: kind('takeBack') },
  {
    keys: ['w'],
    says: () => say('Ask why, and back to the tape'),
    act: ({ view }) => ({ kind: 'view', view: view === 'why' ? 'tape' : 'why' }),
  },
  {
    keys: ['['],
    says: () => say('Previous finding'),
    act: () => ({ kind: 'finding', by: -1 }),
  },
  { keys: [']'], says: () => say('Next finding'), act: () => ({ kind: 'finding', by: 1 }) },
  {
    keys: ['?'],
    says: () => say('Show the keys'),
    act: () => ({ kind: 'overlay', overlay: 'keys' }),
  },
];

/** What each key does. */
export const ACTS: ReadonlyMap<string, Act> = new Map(
  SHORTCUTS.flatMap(({ keys, act }) => keys.map((key) => [key, act] as const)),
);

/** Keys and what they do: everywhere, and in the graph. */
export type KeyList = readonly (readonly [keys: readonly string[], says: string])[];

/** What the list of keys says, for the whole widget and for its graph. */
export function keyLists(): readonly (readonly [title: string, keys: KeyList])[] {
  return [
    [
      say('Everywhere'),
      [
        ...SHORTCUTS.map(({ keys, says }) => [keys, says()] as const),
        [['e'], say('Full screen, and back')],
      ],
    ],
    [
      say('In the graph'),
      [
        [['ArrowUp', 'ArrowDown'], say('Select a node; of several inputs or outputs the next')],
        [['ArrowLeft', 'ArrowRight'], say('From the selected node to its inputs or outputs')],
        [['Enter'], say('Select the node of this step, or open the group')],
        [['Escape'], say('Back to the steps; once more, leave the picture')],
        [['Shift+ArrowLeft', 'Shift+ArrowRight'], say('Move the graph')],
      ],
    ],
  ];
}
