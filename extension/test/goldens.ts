import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What the golden files say that a reader must find in a recording. */
export interface Expectation {
  readonly sources: readonly string[];
  readonly variables: readonly string[];
  readonly ops: readonly string[];
  readonly events?: readonly Record<string, unknown>[];
  readonly tensors?: readonly {
    role: number;
    shape: number[];
    dtype: string;
    name: string;
    named: boolean;
    values: (number | string)[] | null;
  }[];
  readonly edges: readonly (readonly [number, number, number, string])[];
  readonly frames: readonly {
    kind: string;
    event: number;
    node: number;
    tag: string;
    label: string;
    value: string;
    gradient: string;
  }[];
  readonly steps: readonly {
    phase: string;
    frame: number;
    node: number;
    label: string;
    through: number;
    slot: string;
  }[];
  readonly flow: readonly {
    frame: number;
    size: number | string;
    norm: number | string;
    health: string;
    step: number;
  }[];
  /** Kind, parent, first and last node, size, turn. */
  readonly folds: readonly (readonly [string, ...number[]])[];
  readonly fold_names: readonly string[];
  readonly fold_of: readonly number[];
  readonly opened: readonly number[];
  readonly firstNonFinite: number;
  readonly previews: readonly {
    tensor: number;
    form: string;
    shape: number[];
    ends: (number | string)[];
  }[];
  /** What only schema 2 holds. */
  readonly foreign?: {
    readonly framework: string;
    readonly aliases: number[][];
    readonly upstreams: number[][];
    readonly library: number[];
    readonly devices: (number | string)[][];
    readonly paths: string[];
    readonly kinds: string[];
  };
  readonly memory: { tape: number[]; gradients: number[]; held: number[]; freed: number };
}

const FOLDER = fileURLToPath(new URL('../../tests/fixtures/recordings/', import.meta.url));

export function goldenBytes(name: string): Uint8Array {
  return new Uint8Array(readFileSync(join(FOLDER, `${name}.tape`)));
}

/** All golden recordings with what they must be read as; both sides read the same files. */
export function goldens(): { name: string; bytes: Uint8Array; expected: Expectation }[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.tape'))
    .map((file) => file.slice(0, -'.tape'.length))
    .map((name) => ({
      name,
      bytes: goldenBytes(name),
      expected: JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as Expectation,
    }));
}
