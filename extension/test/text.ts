import type { VNode } from '../src/core/dom.js';

/** The words of a description, in reading order. */
export function textOf(node: VNode | string): string {
  return typeof node === 'string' ? node : node.children.map(textOf).join('');
}

/** All parts of a description that carry a class. */
export function findAll(node: VNode | string, name: string): VNode[] {
  if (typeof node === 'string') return [];
  const own = String(node.attributes['class'] ?? '')
    .split(' ')
    .includes(name)
    ? [node]
    : [];
  return [...own, ...node.children.flatMap((child) => findAll(child, name))];
}
