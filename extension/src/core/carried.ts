/** A number as JSON carries it: one that is not finite comes as a word, such as 'nan' or '-inf'. */
export type Carried = number | string | null;

const INFINITE: Readonly<Record<string, number>> = { inf: Infinity, '-inf': -Infinity };

export function numberOf(carried: Carried): number {
  return typeof carried === 'number' ? carried : (INFINITE[carried ?? ''] ?? NaN);
}
