import { cells, fitted } from './text.js';

/** No text on the screen is smaller than 11 px, however small a graph is shown; its width is rounded. */
const SMALLEST = 11.1;
/** The smallest type on a card and between cards, in the units of the graph. */
const CARD_TYPE = 11.5;
/** The size of type for which the width of a letter is known. */
const TITLE_TYPE = 12.5;
/** The height of a line of type, and the width of a letter, in the size of the type. */
const LINE = 1.25;
const LETTER = 7.55 / TITLE_TYPE;
/** What is left of a longer title in fewer letters than these says nothing. */
const FEWEST_LETTERS = 5;

/** So small may a graph be shown with all that its cards say. */
export const SMALLEST_ZOOM = 0.957;

/** Whether all that cards say can be read where a graph is shown at a size. */
export function isLegible(zoom: number): boolean {
  return zoom >= SMALLEST_ZOOM;
}

/** A text in the smallest type that can be read, and the size of that in the units of the graph. */
export interface SmallTitle {
  readonly text: string;
  readonly size: number;
}

/** What of a title can be read in a box of a graph that is shown small; null where nothing can. */
export function smallTitle(
  title: string,
  width: number,
  height: number,
  zoom: number,
): SmallTitle | null {
  const size = Math.max(CARD_TYPE, SMALLEST / zoom);
  const letters = Math.floor(width / (size * LETTER));
  const isWhole = cells(title) <= letters;
  if (size * LINE > height || (!isWhole && letters < FEWEST_LETTERS)) return null;
  return { text: fitted(title, letters), size };
}
