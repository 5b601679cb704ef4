import type { Replays } from './whatif.js';

/** The tensors of variables, with the values that they are to have. */
export type Moved = readonly (readonly [number, number])[];

/** Recordings at other values of variables, one question to the kernel at a time. */
export interface KernelReplays extends Replays {
  /** The kernel's answer: a recording, or why there is none. */
  receive(recording: Uint8Array | null, error: string): void;
}

/** `send` puts a question to the kernel, and says whether there is one. */
export function kernelReplays(send: (values: Moved) => boolean): KernelReplays {
  let [requested, wanted]: [boolean, ReadonlyMap<number, number> | null] = [false, null];
  const subscribers = new Set<(recording: Uint8Array | null, error: string) => void>();
  const ask = (): void => {
    if (requested || !wanted || !send([...wanted])) return;
    [requested, wanted] = [true, null];
  };
  return {
    move: (values) => {
      wanted = new Map(values);
      ask();
    },
    listen: (listener) => {
      subscribers.add(listener);
      return () => subscribers.delete(listener);
    },
    receive: (recording, error) => {
      requested = false;
      for (const listener of subscribers) listener(recording, error);
      ask();
    },
  };
}
