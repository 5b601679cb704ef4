/** What a language says for the English: one form, or one for a single thing and one for several. */
export type Catalogue = Readonly<Record<string, string | readonly string[]>>;

let spoken: Catalogue = {};

/** From here on sentences are said in this language; each widget says so before it is drawn. */
export function speak(catalogue: Catalogue | undefined): void {
  spoken = catalogue ?? {};
}

type Values = Readonly<Record<string, string | number>>;

const RIGHT = /[\u0590-\u08ff]/;

/** Numbers below zero, and several in brackets, would be turned around among words that are. */
function filled(template: string, values: Values): string {
  const turned = RIGHT.test(template);
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = String(values[name] ?? whole);
    return turned && /[−[]/.test(value) && !RIGHT.test(value) ? `\u2066${value}\u2069` : value;
  });
}

/** A sentence in the chosen language with its values: `say('line {line}', { line: 3 })`. */
export function say(template: string, values: Values = {}): string {
  const known = spoken[template] ?? template;
  return filled(typeof known === 'string' ? known : known[0]!, values);
}

/** A sentence about so many things: the English forms for one and for several. */
export function sayMany(one: string, many: string, count: number, values: Values): string {
  const known = spoken[one] ?? [one, many];
  const forms = typeof known === 'string' ? [known] : known;
  return filled((count === 1 ? forms[0] : forms.at(-1))!, values);
}

/** @said Every word on screen that does not come from the recording, in English. */
const ENGLISH = {
  widget: 'Tape explorer',
  untitled: 'tape',
  askWhy: 'Ask why',
  showOnTape: 'Show on the tape',
  copyLine: 'Copy this line',
  copyLines: 'Copy these lines',
  copied: 'Copied',
  whyNone: 'Why is it None?',
  whyPartial: 'Why is part of it missing?',
  connected: 'What goes wrong in the backward pass?',
  gradientOf: (target: string, source: string) =>
    say('gradient of {target} with respect to {source}', { target, source }),
  writeInstead: 'Write instead',
  lesson: (number: string) => say('Lesson {number}', { number }),
  findings: (at: number, of: number) => say('{at} of {of}', { at, of }),
  previousFinding: 'Previous finding',
  nextFinding: 'Next finding',
  onTape: 'on the tape',
  offTape: 'off the tape',
  offTapeNumPy: 'off the tape: NumPy',
  line: (line: number) => say('line {line}', { line }),
  code: 'Code',
  graph: 'Graph',
  tape: 'Tape',
  transport: 'Steps',
  header: 'This tape',
  timeline: 'Tape, in the order of recording',
  inspector: 'This step',
  whichCall: 'Which gradient',
  first: 'First step',
  back: 'Step back',
  play: 'Play',
  pause: 'Pause',
  next: 'Step',
  last: 'Last step',
  forward: 'Forward →',
  backward: '← Backward',
  value: 'value',
  gradient: 'gradient',
  notRun: 'not run yet',
  notRecorded: 'not recorded',
  notKept: 'not kept',
  noPathAcross: 'the tape has no path across here',
  pending: 'not computed yet',
  zero: 'zero',
  noPath: 'no path',
  shownAsZero: 'no path, shown as zero',
  emptyTitle: 'Nothing on the tape yet',
  emptyAdvice: 'Run a cell with `tf.GradientTape()`.',
  reading: (ops: string) => say('Reading {ops}', { ops }),
  windowed: (ops: string) => say('{ops}. The graph shows the part around this step.', { ops }),
} as const;

/** The words in the language of the widget that is being drawn. */
export const WORDS: typeof ENGLISH = new Proxy(ENGLISH, {
  get: (words, name: keyof typeof ENGLISH) => {
    const word = words[name];
    return typeof word === 'string' ? say(word) : word;
  },
});

const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ur', 'yi']);

export function directionOf(language: string | undefined): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has((language ?? '').split('-')[0]!) ? 'rtl' : 'ltr';
}
