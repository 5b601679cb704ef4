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
  update(element, node, undefined);
  return element;
}

function update(element: Element, node: VNode, known: VNode | undefined): void {
  if (known === node) return;
  const [before, after] = [known?.attributes ?? {}, node.attributes];
  for (const name in before) if (!(name in after)) setAttribute(element, name, null);
  for (const name in after)
    if (before[name] !== after[name]) setAttribute(element, name, after[name]);
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

/** The children of an element by their keys. */
function byKey(host: Element): Map<Attribute, Node> {
  const keyed = new Map<Attribute, Node>();
  for (let child = host.firstChild; child; child = child.nextSibling) {
    const key = drawn.get(child)?.attributes['key'];
    if (key !== undefined) keyed.set(key, child);
  }
  return keyed;
}

/** Make the children of `host` look as described, keeping the elements that fit. */
export function patch(host: Element, wanted: readonly (VNode | string)[]): void {
  let keyed: Map<Attribute, Node> | null = null;
  let cursor: Node | null = host.firstChild;
  for (const node of wanted) {
    let match = cursor;
    let known = match ? drawn.get(match) : undefined;
    if (typeof node === 'string') {
      if (!match || known || match.nodeType !== 3) host.insertBefore(create(node, host), match);
      else {
        if (match.nodeValue !== node) match.nodeValue = node;
        cursor = match.nextSibling;
      }
      continue;
    }
    const { key } = node.attributes;
    // As a rule everything stands where it stood: only what does not is looked for.
    if (key !== undefined && known?.attributes['key'] !== key) {
      match = (keyed ??= byKey(host)).get(key) ?? null;
      known = match ? drawn.get(match) : undefined;
    }
    if (!match || known?.tag !== node.tag || known.attributes['key'] !== key) {
      host.insertBefore(create(node, host), cursor);
      continue;
    }
    if (match === cursor) cursor = match.nextSibling;
    else host.insertBefore(match, cursor);
    update(match as Element, node, known);
  }
  while (cursor) {
    const next: Node | null = cursor.nextSibling;
    host.removeChild(cursor);
    cursor = next;
  }
}
