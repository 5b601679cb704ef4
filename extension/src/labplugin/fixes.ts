import type { Fix } from '../core/explanation.js';

/** Code with the lines of a fix in the place of those at a line; null where others stand there. */
export function mended(code: string, { before, after }: Fix, line: number): string | null {
  const lines = code.split('\n');
  const old = before.split('\n');
  const there = lines.slice(line - 1, line - 1 + old.length);
  const alike = old.every((text, at) => there[at]?.trim() === text.trim());
  if (line < 1 || !alike) return null;
  const indent = /^\s*/.exec(there[0]!)![0];
  const fresh = after.split('\n').map((text) => (text ? indent + text : text));
  return [...lines.slice(0, line - 1), ...fresh, ...lines.slice(line - 1 + old.length)].join('\n');
}
