import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import type { LiveActions, LiveState } from '../live.js';
import { say, WORDS } from '../words.js';
import { button, prose } from './parts.js';

const HOLES = Array.from({ length: 9 }, (_, at) => 12 + at * 12);

/** A tape with nothing on it, and what to do. */
function emptyView(title: string, advice: string, action: Child): VNode {
  return h(
    'div',
    { class: 'blank' },
    h(
      'svg',
      { viewBox: '0 0 120 44', 'aria-hidden': 'true' },
      h('rect', { x: 0.75, y: 0.75, width: 118.5, height: 42.5, rx: 6 }),
      HOLES.flatMap((cx) => [8, 36].map((cy) => h('circle', { cx, cy, r: 2.2 }))),
    ),
    h('h3', {}, title),
    h('p', { class: 'muted' }, prose(advice)),
    action,
  );
}

/** What to run for a tape to appear. */
function emptyYet({ example }: LiveActions): VNode {
  return emptyView(
    WORDS.emptyTitle,
    say('Run a cell with `tf.GradientTape()` and it appears here, line by line.'),
    example ? button(say('Insert an example'), '', example) : null,
  );
}

/** Why the panel has no tape to show, and what to do. */
export function withoutTape({ link, trouble, error, now }: LiveState, actions: LiveActions): VNode {
  const connect = actions.connect && button(say('Connect again'), '', actions.connect);
  switch (link) {
    case 'none':
      return emptyView(
        say('No kernel to follow'),
        say('Open a notebook or a console, and the tapes of its kernel appear here.'),
        null,
      );
    case 'absent':
      return emptyView(
        say('tapelab is not imported in this kernel'),
        say('Run a cell with `import tapelab as tf`, and its tapes appear here.'),
        actions.example ? button(say('Insert an example'), '', actions.example) : null,
      );
    case 'failed':
      return emptyView(trouble, error, connect);
    case 'open':
      return now?.missed
        ? emptyView(
            say('The last tape is gone'),
            say(
              'Its gradient was computed before this panel was connected. Run the cell again, and the tape appears here.',
            ),
            null,
          )
        : emptyYet(actions);
    default:
      return emptyYet(actions);
  }
}
