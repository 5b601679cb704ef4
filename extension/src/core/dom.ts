/** A description of an element, drawn by `patch`. Views return these and touch no page. */
export interface VNode {
  readonly tag: string;
  readonly attributes: Attributes;
  readonly children: readonly (VNode | string)[];
}

type Handler = (event: never) => void;
export type Attribute = string | number | boolean | null | undefined | Handler;
export type Attributes = Readonly<Record<string, Attribute>>;
export type Child = VNode | string | number | null | undefined | false | readonly Child[];

/** Describe an element. `key` keeps it the same element when its siblings change; `on…` adds a listener. */
export function h(tag: string, attributes: Attributes = {}, ...children: Child[]): VNode {
  const flat: (VNode | string)[] = [];
  collect(children, flat);
  return { tag, attributes, children: flat };
}

function collect(children: readonly Child[], into: (VNode | string)[]): void {
  for (const child of children) {
    if (Array.isArray(child)) collect(child as readonly Child[], into);
    else if (typeof child === 'number') into.push(String(child));
    else if (child) into.push(child as VNode | string);
  }
}

const NAMESPACES: Readonly<Record<string, string>> = {
  svg: 'http://www.w3.org/2000/svg',
  math: 'http://www.w3.org/1998/Math/MathML',
};
const HTML = 'http://www.w3.org/1999/xhtml';

const drawn = new WeakMap<Node, VNode>();

function create(node: VNode | string, parent: Element): Node {
  if (typeof node === 'string') return parent.ownerDocument.createTextNode(node);
  const inside = parent.namespaceURI ?? HTML;
  const namespace = NAMESPACES[node.tag] ?? inside;
  const element = parent.ownerDocument.createElementNS(namespace, node.tag);
  update(element, node);
  return element;
}

function update(element: Element, node: VNode): void {
  const known = drawn.get(element);
  if (known === node) return;
  const before = known?.attributes ?? {};
  for (const name of Object.keys(before)) {
    if (!(name in node.attributes)) setAttribute(element, name, null);
  }
  for (const [name, value] of Object.entries(node.attributes)) {
    if (before[name] !== value) setAttribute(element, name, value);
  }
  drawn.set(element, node);
  patch(element, node.children);
}

function setAttribute(element: Element, name: string, value: Attribute): void {
  if (name === 'key') return;
  if (name.startsWith('on')) {
    (element as unknown as Record<string, unknown>)[name] = value ?? null;
  } else if (value === null || value === undefined || value === false) {
    element.removeAttribute(name);
  } else {
    element.setAttribute(name, value === true ? '' : String(value));
    // What was typed or dragged would else stay.
    if (name === 'value') (element as HTMLInputElement).value = String(value);
  }
}

function fits(existing: Node, wanted: VNode | string): boolean {
  const before = drawn.get(existing);
  if (typeof wanted === 'string') return !before && existing.nodeType === 3;
  return before?.tag === wanted.tag && before.attributes.key === wanted.attributes.key;
}

/** Make the children of `host` look as described, keeping the elements that fit. */
export function patch(host: Element, wanted: readonly (VNode | string)[]): void {
  const keyed = new Map<unknown, Node>();
  for (const child of host.childNodes) {
    const key = drawn.get(child)?.attributes.key;
    if (key !== undefined) keyed.set(key, child);
  }
  let cursor: Node | null = host.firstChild;
  for (const node of wanted) {
    const key = typeof node === 'string' ? undefined : node.attributes.key;
    let match = key === undefined ? cursor : (keyed.get(key) ?? null);
    if (match && !fits(match, node)) match = null;
    if (!match) {
      host.insertBefore(create(node, host), cursor);
      continue;
    }
    if (match === cursor) cursor = cursor.nextSibling;
    else host.insertBefore(match, cursor);
    if (typeof node === 'string') {
      if (match.nodeValue !== node) match.nodeValue = node;
    } else {
      update(match as Element, node);
    }
  }
  while (cursor) {
    const next: Node | null = cursor.nextSibling;
    host.removeChild(cursor);
    cursor = next;
  }
}
