import { h } from './dom.js';
import type { Child, VNode } from './dom.js';
import type { Term } from './mathematics.js';

/** What stands for a name in a formula: a learner's name, or this step's number. */
export interface Stand {
  readonly text: string;
  readonly tone: '' | 'v' | 'g';
  readonly number: boolean;
  /** A whole matrix, in place of the text. */
  readonly shown?: VNode;
}
/** What stands for each name; a name after BAR is that of the gradient at a value. */
export type Substitution = ReadonlyMap<string, Stand>;

const NOTHING: Substitution = new Map();
export const BAR = '¯';

export const row = (...children: Child[]): VNode => h('mrow', {}, children);
export const sign = (text: string): VNode => h('mo', { stretchy: 'false' }, text);
export const number = (text: string, tone = ''): VNode => h('mn', { class: tone }, text);
const upright = (text: string): VNode => h('mi', { class: 'up', mathvariant: 'normal' }, text);
export const code = (text: string): VNode => h('mtext', { class: 'lit' }, text);
export const fraction = (top: Child, bottom: Child): VNode => h('mfrac', {}, row(top), row(bottom));
export const partial = (of: Child): VNode => row(upright('∂'), of);

/** A name: one letter is italic mathematics, a word is the learner's code. */
export function identifier(text: string, tone = ''): VNode {
  if ([...text].length === 1) return h('mi', { class: tone }, text);
  return /^\w+$/.test(text) ? h('mtext', { class: `word ${tone}` }, text) : code(text);
}

/** Rows of numbers in square brackets. */
export function matrix(rows: readonly (readonly string[])[], tone: string): VNode {
  const cell = (text: string): VNode => h('mtd', {}, number(text, tone));
  const table = rows.map((texts) => h('mtr', {}, texts.map(cell)));
  return h('mtable', {}, table);
}

export function equation(display: 'block' | 'inline', ...children: Child[]): VNode {
  return h('math', { display }, row(children));
}

const isMath = (child: Child): child is VNode =>
  !!child && typeof child === 'object' && 'tag' in child;

/** The signs before which an equation may go on in the next row. */
const BREAKS: Readonly<Record<string, readonly string[]>> = { outer: ['=', '+'], inner: ['='] };

/** An equation in parts that each begin with their sign. */
function partsOf(terms: Child, level: 'outer' | 'inner' = 'outer'): VNode[][] {
  const parts: VNode[][] = [[]];
  for (const term of [terms].flat(Infinity as 20) as Child[]) {
    if (!isMath(term)) continue;
    if (term.tag === 'mrow') {
      const [first, ...others] = partsOf(term.children, 'inner');
      parts.at(-1)!.push(...first!);
      parts.push(...others);
    } else if (BREAKS[level]!.includes(String(term.children[0])) && term.tag === 'mo') {
      parts.push([term]);
    } else parts.at(-1)!.push(term);
  }
  return parts;
}

/** An equation of its own; where it is too long for one row it goes on with the next sign. */
export function equationView(...terms: Child[]): VNode {
  const parts = partsOf(terms).filter((part) => part.length);
  return h(
    'div',
    { class: 'eq' },
    parts.map((part) => h('math', { displaystyle: 'true' }, row(part))),
  );
}

function stand(found: Stand, guarded: boolean): VNode {
  if (found.shown) return found.shown;
  const shown = found.number ? number(found.text, found.tone) : identifier(found.text, found.tone);
  const negative = found.number && found.text.startsWith('−');
  return guarded && negative ? row(sign('('), shown, sign(')')) : shown;
}

function sequence(items: readonly Term[], substitution: Substitution): VNode[] {
  return items.map((item, at) => draw(item, substitution, at > 0));
}

function applied(term: Extract<Term, { kind: 'apply' }>, substitution: Substitution): VNode {
  const name = upright(term.name);
  const head = term.power ? h('msup', {}, name, draw(term.power, substitution, false)) : name;
  const space = term.to.kind === 'group' ? null : h('mspace', { width: '.17em' });
  return row(head, h('mo', {}, '\u2061'), space, draw(term.to, substitution, true));
}

function scripted(term: Extract<Term, { kind: 'script' }>, substitution: Substitution): VNode {
  const inner = (part: Term): VNode => draw(part, substitution, true);
  const [base, up, down] = [
    inner(term.base),
    term.up && inner(term.up),
    term.down && inner(term.down),
  ];
  if (up && down) return h('msubsup', {}, base, down, up);
  return up ? h('msup', {}, base, up) : h('msub', {}, base, down);
}

function draw(term: Term, substitution: Substitution, guarded: boolean): VNode {
  switch (term.kind) {
    case 'name': {
      const found = substitution.get(term.text);
      return found ? stand(found, guarded) : identifier(term.text);
    }
    case 'number':
      return number(term.text);
    case 'sign':
      return term.text === '∂' ? upright('∂') : sign(term.text);
    case 'text':
      return h('mtext', {}, `\u00a0${term.text}\u00a0`);
    case 'function':
      return upright(term.text);
    case 'row':
      return row(sequence(term.items, substitution));
    case 'apply':
      return applied(term, substitution);
    case 'fraction':
      return fraction(draw(term.top, substitution, false), draw(term.bottom, substitution, false));
    case 'root':
      return h('msqrt', {}, draw(term.inner, substitution, false));
    case 'bar': {
      const name = term.inner.kind === 'name' ? term.inner.text : '';
      const found = substitution.get(BAR + name);
      if (found) return stand(found, guarded);
      return h('mover', { accent: 'true' }, draw(term.inner, substitution, false), sign(BAR));
    }
    case 'group':
      return row(sign('('), draw(term.inner, substitution, false), sign(')'));
    case 'script':
      return scripted(term, substitution);
  }
}

/** What a piece of mathematics reads like, to tell two apart. */
export function plainText(node: VNode | string): string {
  return typeof node === 'string' ? node : node.children.map(plainText).join('');
}

/** Draw a term as MathML, with names replaced as `substitution` says. */
export function mathml(term: Term, substitution: Substitution = NOTHING): VNode {
  return draw(term, substitution, false);
}

/** A term inside ∂(…): products lose their dot, sums keep their brackets. */
export function partialOf(term: Term, substitution: Substitution = NOTHING): VNode {
  if (term.kind !== 'row') return partial(mathml(term, substitution));
  const items = term.items.filter((item) => !(item.kind === 'sign' && item.text === '·'));
  return partial(row(sign('('), sequence(items, substitution), sign(')')));
}
