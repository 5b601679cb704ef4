"""The compiler of `tf.function`: trace → graph → guarded program → fusion → code.

- function: `function` with its `signature`, `call_cache` and `concrete_function`.
- trace: `autograph` rewrites control flow; `trace` records calls on `symbolic` tensors, whose
  results `abstract_evaluation` finds with `examples` and a `shape_cache`; `callback_rules` and
  `subgraph_trace` trace branches, loops and callbacks.
- graph: `call_graph` and `subgraph`, run by `replay`. `session` is `tf.compat.v1`'s way to run one.
- guarded program: `eligibility` says which graphs are compiled; `capture` observes a replay, with
  its `random_draws`; `lowering` makes a `program` behind `guards`, and `passes` optimise it.
- fusion: `fusion` puts one kernel in the place of many elementwise ops.
- code: `codegen` writes a program out; `compiled_program` calls it, `execution` chooses between it
  and a replay, `call_report` describes its calls; `taped_call` and `program_vjp` serve tapes.

A replay defines what a function returns; everything behind it may only be faster.
"""
