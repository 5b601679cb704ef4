/** The words of a recording, as docs/reference/recording.md defines them. */

export const SCHEMA = 2;

export type ColumnType = 'u8' | 'i32' | 'f64';

export interface RuleInfo {
  /** The gradient rule in LaTeX, such as `\bar x = \bar z \cdot y`. */
  readonly formula: string;
  /** The local derivative of an elementwise op; empty otherwise. */
  readonly local: string;
  /** Why no gradient passes; empty where one does. */
  readonly because: string;
  readonly sentence: string;
}

export interface OpInfo {
  readonly name: string;
  readonly title: string;
  readonly glyph: string;
  readonly formula: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly sentence: string;
  readonly pattern: string;
  readonly rules: readonly RuleInfo[];
}

export interface GroupInfo {
  readonly name: string;
  readonly parent: number;
  readonly span: number;
  /**
   * `module` for a call of a module or a layer, `call` for one of a function of the learner's,
   * `before` and `after` for what ran outside the tape, `compiled` for a region that a compiler
   * runs as a whole.
   */
  readonly kind?: string;
  /** The text of the arguments of a call. */
  readonly arguments?: string;
  /** Where a module stands in its model, such as `layers.0`. */
  readonly path?: string;
}

export interface SourceInfo {
  readonly title: string;
  readonly file: string;
  readonly first_line: number;
  readonly text: string;
}

export interface VariableInfo {
  readonly name: string;
  readonly trainable: boolean;
  readonly span: number;
  readonly shape: number;
  readonly dtype: number;
  /** Where it stands in its model, such as `layers.0.weight`. */
  readonly path?: string;
}

export interface TapeInfo {
  readonly name: string;
  readonly persistent: boolean;
  readonly watch_accessed_variables: boolean;
  readonly consumed: boolean;
}

/** Another tape that was open inside, and the tensors that it watches, each since which event. */
export interface NestedInfo {
  readonly name: string;
  readonly opened: number;
  readonly closed: number;
  readonly watched?: readonly (readonly [number, number])[];
}

/** What an op was given beside its inputs, such as its axis. */
export type Settings = Readonly<Record<string, unknown>>;

export interface Header {
  readonly maker: string;
  /** What a column is and how it is kept, where it begins, and how many numbers it holds. */
  /** The type of each column, where it is, how long; of steps, the turn, exceptions, the step. */
  readonly columns: Readonly<
    Record<string, readonly [string, number, number, number?, number?, number?]>
  >;
  readonly tape: TapeInfo;
  readonly strings: readonly string[];
  readonly shapes: readonly (readonly number[])[];
  readonly dtypes: readonly string[];
  readonly ops: readonly OpInfo[];
  readonly groups: readonly GroupInfo[];
  readonly sources: readonly SourceInfo[];
  readonly variables: readonly VariableInfo[];
  /** Other tapes that were open inside, by their first event and the first one after them. */
  readonly nested?: readonly NestedInfo[];
  readonly settings?: readonly Settings[];
  /** Whose program it is, such as `PyTorch 2.13.0`; missing for tapelab's own. */
  readonly framework?: string;
}

export enum Role {
  Result,
  State,
  Constant,
  OffTape,
  Gradient,
}

export enum Kind {
  Opened,
  Closed,
  Watched,
  Ran,
  Read,
  Assigned,
  Left,
  Returned,
  Made,
  Paused,
  Resumed,
  Reset,
  Asked,
  Flowed,
  Accumulated,
}

/** Why an op is on the tape or not. */
export enum Cause {
  OnTape,
  NothingWatched,
  Paused,
  BeforeTape,
  AfterTape,
  WholeNumbers,
  OtherThread,
  Replaced,
}

export interface Span {
  readonly source: number;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

export interface TensorInfo {
  readonly index: number;
  readonly role: Role;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly name: string;
  readonly named: boolean;
  readonly variable: number;
  readonly span: number;
  /** The numbers, row by row; null when they were not kept. */
  readonly values: Float64Array | null;
  /** How a few words are printed; empty for numbers. */
  readonly words: string;
}

export type RecordingEvent =
  | { readonly kind: Kind.Opened | Kind.Closed | Kind.Paused | Kind.Resumed | Kind.Reset }
  | {
      readonly kind: Kind.Watched;
      readonly tensor: number;
      readonly variable: number;
      readonly how: number;
    }
  | {
      readonly kind: Kind.Ran;
      readonly op: number;
      readonly group: number;
      readonly cause: Cause;
      readonly inputs: Int32Array;
      readonly outputs: Int32Array;
    }
  | { readonly kind: Kind.Read; readonly variable: number; readonly tensor: number }
  | {
      readonly kind: Kind.Assigned;
      readonly variable: number;
      readonly how: number;
      readonly from: number;
      readonly state: number;
    }
  | {
      readonly kind: Kind.Left;
      readonly tensor: number;
      readonly how: string;
      readonly result: number;
    }
  | { readonly kind: Kind.Returned; readonly value: number; readonly tensor: number }
  | { readonly kind: Kind.Made; readonly tensor: number; readonly how: string }
  | {
      readonly kind: Kind.Asked;
      readonly call: number;
      readonly method: number;
      /** Whether unconnected gradients were asked for as zeros. */
      readonly zeros: boolean;
      readonly targets: Int32Array;
      readonly sources: Int32Array;
      readonly results: Int32Array;
    }
  | {
      readonly kind: Kind.Flowed;
      readonly call: number;
      /** The event of the op, or -1 for the start at the target. */
      readonly event: number;
      readonly position: number;
      readonly tensor: number;
      readonly upstream: number;
      readonly local: number;
      readonly contribution: number;
      readonly sum: number;
    }
  | {
      /** The gradient that a leaf keeps changed: by a call, or it was cleared (call -1). */
      readonly kind: Kind.Accumulated;
      readonly call: number;
      readonly tensor: number;
      readonly before: number;
      readonly after: number;
    };
