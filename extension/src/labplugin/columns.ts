/**
 * Python counts the characters of a line, an editor the halves that UTF-16 writes rare ones in.
 */

/** How many characters stand in a line before a column of an editor. */
export function charactersBefore(line: string, column: number): number {
  return [...line.slice(0, column)].length;
}

/** The column of an editor after so many characters of a line. */
export function columnAfter(line: string, characters: number): number {
  return [...line].slice(0, characters).join('').length;
}
