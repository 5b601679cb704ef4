import type { Tone } from '../appearance.js';
import { h } from '../dom.js';
import type { VNode } from '../dom.js';
import { wantExtras } from '../extras.js';
import { measureOf } from '../measures.js';
import { count, elementsOf, formatNumber, formatValues } from '../numbers.js';
import type { Recording } from '../recording.js';
import type { TensorInfo } from '../schema.js';
import type { Slices } from '../state.js';
import { say, sayMany, WORDS } from '../words.js';

/**
 * The picture of a tensor, see `pictures.ts`; null where there is nothing to draw, or not yet.
 * It is fetched when the first one is wanted: scalars need none.
 */
export function heatView(
  recording: Recording,
  tensor: TensorInfo | null,
  role: Tone,
  label: string,
  slices: Slices,
): VNode | null {
  if (!tensor?.shape.length || tensor.dtype === 'string') return null;
  return wantExtras()?.figureOf?.(recording, tensor, role, label, slices) ?? null;
}

/** `−1.2000 to 3.0000, mean 0.1000, 0.8000 from 0 on average, 3 zeros`: what several numbers come to. */
export function rangeFacts(recording: Recording, tensor: number): (readonly [string, string])[] {
  const measure = tensor < 0 ? null : measureOf(recording, tensor);
  if (!measure || !recording.tensor(tensor).shape.length) return [];
  const { nans, infinities, zeros } = measure;
  const [least, greatest, size, mean] = (['least', 'greatest', 'size', 'mean'] as const).map(
    (each) => formatNumber(measure[each]),
  );
  const facts = [
    say('{least} to {greatest}', { least: least!, greatest: greatest! }),
    !Number.isNaN(measure.mean) && say('mean {mean}', { mean: mean! }),
    say('{size} from 0 on average', { size: size! }),
    zeros && sayMany('one zero', '{zeros} zeros', zeros, { zeros }),
    nans && `${count(nans, 'NaN')}`,
    infinities && `${infinities} × ∞`,
  ];
  return [['range', facts.filter(Boolean).join(', ')]];
}

const LONGEST = 120;

/** What is to be said in place of the numbers of a large tensor. */
function notListed(recording: Recording, { index, shape }: TensorInfo): string {
  if (measureOf(recording, index)) return count(elementsOf(shape), 'number');
  const { consumed, persistent } = recording.header.tape;
  return consumed && !persistent
    ? say('not kept: the tape released it after the gradient call. Show the tape before that call.')
    : WORDS.notKept;
}

/** All the numbers of a tensor, as far as they were kept and can be read. */
export function valuesView(recording: Recording, tensor: TensorInfo, role: Tone): VNode {
  const text = formatValues(tensor);
  if (text === null) return h('span', { class: 'muted' }, notListed(recording, tensor));
  const shown = text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
  return h('bdi', { class: `num ${role}t` }, shown);
}
