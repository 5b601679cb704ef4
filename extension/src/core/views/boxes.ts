import { boxesOf } from '../boxes.js';
import type { Chart } from '../chart.js';
import { h } from '../dom.js';
import type { VNode } from '../dom.js';
import { foldName } from '../folds.js';
import { smallTitle } from '../legibility.js';
import type { Model } from '../model.js';
import type { Point } from '../routes.js';
import type { Dispatch } from '../state.js';
import { say } from '../words.js';

/** The height of the row that names a box. */
const NAME_HEIGHT = 20;

/** The boxes around open calls, beneath the graph; a click on a name closes its box. */
export function boxesView(
  model: Model,
  chart: Chart,
  [originX, originY]: Point,
  zoom: number,
  dispatch: Dispatch,
): VNode[] {
  const folds = chart.folded?.folds;
  if (!folds) return [];
  return boxesOf(chart).map(({ fold, x, y, width, height }) => {
    const name = foldName(model, folds, fold);
    const iteration = folds.iteration[fold]!;
    const whole = iteration ? `${name} ${iteration}` : name;
    const title = smallTitle(whole, width - 16, NAME_HEIGHT, zoom);
    return h(
      'g',
      {
        class: `call${folds.groups[folds.group[fold]!]?.kind === 'tape' ? ' tape' : ''}`,
        key: `c${fold}`,
        transform: `translate(${Math.round(x - originX)} ${Math.round(y - originY)})`,
      },
      h('rect', { width: Math.round(width), height: Math.round(height), rx: 8 }),
      h(
        'g',
        { class: 'callname', onclick: () => dispatch({ kind: 'fold', fold }) },
        h('title', {}, say('Fold {name}', { name })),
        h('rect', { class: 'reach', width: Math.round(width), height: NAME_HEIGHT }),
        title && h('text', { x: 8, y: 15, style: `font-size:${title.size}px` }, title.text),
      ),
    );
  });
}
