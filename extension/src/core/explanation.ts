/** What `tf.explain` found out, as Python's `Explanation.to_json()` writes it. */
export interface Explanation {
  /** The answer in one line. */
  readonly headline?: string;
  readonly target: string;
  readonly source: string;
  readonly connected: boolean;
  readonly partial: boolean;
  readonly findings: readonly Finding[];
}

export interface Finding {
  readonly code: string;
  readonly title: string;
  readonly message: string;
  readonly where: Where | null;
  readonly fix: Fix | null;
  readonly lesson: string;
  /** Indices of the events that show it. */
  readonly evidence: readonly number[];
  readonly steps: readonly { readonly line: number; readonly text: string }[];
}

/** Lines to replace, without their common indentation, and those to write instead. */
export interface Fix {
  readonly before: string;
  readonly after: string;
  /** The line of the first of them in its source, from 1. */
  readonly line?: number;
}

export interface Where {
  readonly source: number;
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly end_column: number;
}
