import type { Explanation } from '../core/explanation.js';
import type { LiveMessage } from '../core/live.js';
import type { Moved } from '../core/replays.js';

/** What the kernel and the panel say to each other, as docs/reference/live.md specifies. */
export const TARGET = 'tapelab.live';
export const VERSION = 1;

/** A cell of the kernel's notebook, or null where it has none, as in a console. */
export type CellId = string | null;

export interface Settings {
  readonly hints: boolean;
  readonly language: string;
  readonly speed: number;
  readonly rate: number;
  readonly history: number;
}

export interface Hello {
  readonly is: 'hello';
  readonly version: number;
  readonly tapelab: string;
  readonly language: string;
}

export interface Live extends LiveMessage {
  readonly is: 'live';
  readonly cell: CellId;
  readonly at: readonly [CellId, number] | null;
}

/** The tape that is requested: of a step or of a cell, and without either the newest. */
export interface TapeRequest {
  readonly step: number | null;
  readonly cell?: CellId;
}

/** The recording of a tape; its bytes come beside it. */
export interface Taken extends TapeRequest {
  readonly is: 'recording';
  /** The cell of each source of the recording, in its order. */
  readonly cells: readonly CellId[];
  /** For each source: how many blank lines stand in its cell above what ran. */
  readonly blank?: readonly number[];
  readonly explanation: Explanation | null;
}

export interface Explained extends TapeRequest {
  readonly is: 'explanation';
  readonly explanation: Explanation;
}

export interface Gone extends TapeRequest {
  readonly is: 'gone';
}

/** The opened recording at other values of variables, its bytes beside it; or why there is none. */
export interface Replayed {
  readonly is: 'replay';
  readonly error?: string;
}

export interface Failed {
  readonly is: 'error';
  readonly message: string;
  readonly about: string;
}

export type PanelMessage = Hello | Live | Taken | Explained | Gone | Replayed | Failed;

export type Request =
  | { readonly do: 'show'; readonly rate?: number; readonly history?: number }
  | { readonly do: 'hide' }
  | ({ readonly do: 'open' | 'explain' } & TapeRequest)
  | { readonly do: 'replay'; readonly values: Moved }
  | { readonly do: 'set'; readonly settings: Partial<Settings> };

const KNOWN: ReadonlySet<unknown> = new Set<PanelMessage['is']>([
  'hello',
  'live',
  'recording',
  'explanation',
  'gone',
  'replay',
  'error',
]);

/** What the kernel said; null for what this page does not know. */
export function parseMessage(data: unknown): PanelMessage | null {
  const message = data as { is?: unknown } | null;
  return KNOWN.has(message?.is) ? (message as PanelMessage) : null;
}
