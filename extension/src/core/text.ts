/** How much room text takes, where every letter is as wide as another. */

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;
const NARROW = /\p{Mark}|\p{Cf}/u;

function cellsOf(letter: string): number {
  return letter < '\u0300' ? 1 : NARROW.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1;
}

/** How many letters wide a text is: Chinese ones count twice, marks above others not at all. */
export function cells(text: string): number {
  let sum = 0;
  for (const letter of text) sum += cellsOf(letter);
  return sum;
}

/** A text in so many cells: whole if it can be, else without its middle. */
export function fitted(text: string, most: number): string {
  if (cells(text) <= most) return text;
  const letters = [...text];
  const room = Math.max(2, most - 1);
  const take = (from: readonly string[], within: number): string[] => {
    const taken: string[] = [];
    for (const letter of from) {
      within -= cellsOf(letter);
      if (within < 0) break;
      taken.push(letter);
    }
    return taken;
  };
  const head = take(letters, Math.ceil(room / 2));
  const tail = take(letters.slice(head.length).reverse(), Math.floor(room / 2)).reverse();
  return `${head.join('')}…${tail.join('')}`;
}
