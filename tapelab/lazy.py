"""What the namespace imports when it is first asked for, so that `import tapelab` starts fast."""

from __future__ import annotations

from typing import Final

MODULES: Final = (
    "autodiff",
    "autograph",
    "bitwise",
    "compat",
    "config",
    "data",
    "debugging",
    "experimental",
    "image",
    "io",
    "keras",
    "nn",
    "queue",
    "ragged",
    "random",
    "signal",
    "raw_ops",
    "sets",
    "sparse",
    "strings",
    "test",
)
"""Parts of the namespace that are modules: `tf.nn` is `tapelab.nn`."""
NAMES: Final = {
    "tapelab.compiling.graphs": "Graph",
    "tapelab.compiling.function": "function",
    "tapelab.control": (
        "case cond get_static_value group guarantee_const no_op switch_case while_loop"
    ),
    "tapelab.convolving": "conv",
    "tapelab.custom_gradients": "custom_gradient grad_pass_through recompute_grad",
    "tapelab.space_batches": (
        "batch_to_space required_space_to_batch_paddings space_to_batch space_to_batch_nd"
    ),
    "tapelab.choosing": "bitcast",
    "tapelab.counting": "histogram_fixed_width histogram_fixed_width_bins",
    "tapelab.partitioning": "dynamic_partition dynamic_stitch reverse_sequence",
    "tapelab.debugging": "assert_equal assert_greater assert_less assert_rank",
    "tapelab.diagnosis": "explain",
    "tapelab.engine.roles": "VariableAggregation VariableSynchronization",
    "tapelab.dtypes": "bfloat16",
    "tapelab.factorizing": "eig eigvals",
    "tapelab.initializing": "constant_initializer ones_initializer random_normal_initializer"
    " random_uniform_initializer zeros_initializer",
    "tapelab.graph_gradients": "gradients hessians",
    "tapelab.folding": "foldl foldr scan",
    "tapelab.mapping": "map_fn vectorized_map",
    "tapelab.module": "Module",
    "tapelab.python_functions": "numpy_function py_function",
    "tapelab.ragged.spec": "RaggedTensorSpec",
    "tapelab.ragged.tensor": "RaggedTensor",
    "tapelab.recording": "Recording",
    "tapelab.recomputing": "recompute_grad",
    "tapelab.registering": "RegisterGradient no_gradient",
    "tapelab.tensor_array": "TensorArray",
    "tapelab.scopes": "inside_function",
    "tapelab.sparse": "SparseTensor",
    "tapelab.sparse.comparing": "edit_distance",
    "tapelab.sparse.spec": "SparseTensorSpec",
    "tapelab.strings.hashing": "fingerprint",
    "tapelab.strings.numbers": "as_string",
    "tapelab.specs": "TensorSpec TypeSpec type_spec_from_value",
    "tapelab.widgets.show": "show",
    "tapelab.widgets.verdict": "check exercise hint progress",
}
"""Names of the namespace by the module they stand in: `tf.show` is `tapelab.widgets.show.show`."""
RENAMED: Final = {
    "matrix_square_root": "tapelab.equations:sqrtm",
    "initializers": "tapelab.keras.initializers",
    "losses": "tapelab.keras.losses",
    "metrics": "tapelab.keras.metrics",
    "optimizers": "tapelab.keras.optimizers",
    "load_ipython_extension": "tapelab.lab:attach",
    "tuple": "tapelab.control:tuple_",
}
"""Names that are called otherwise where they stand."""


def _placed(table: dict[str, str]) -> dict[str, str]:
    """Each name of a table with its place, `module:name`."""
    return {name: f"{home}:{name}" for home, names in table.items() for name in names.split()}


PLACES: Final[dict[str, str]] = {
    **{name: f"tapelab.{name}" for name in MODULES},
    **_placed(NAMES),
    **RENAMED,
}
"""Where each lazy name of the namespace is found: a module, or `module:attribute`."""

IN_MATH: Final = {
    "tapelab.gamma_functions": (
        "betainc digamma erfcinv erfinv igamma igammac lbeta lgamma ndtri nextafter polygamma zeta"
    ),
    "tapelab.counting": "bincount confusion_matrix",
    "tapelab.nn": "l2_normalize log_softmax softmax zero_fraction",
    "tapelab.ordering": (
        "approx_max_k in_top_k invert_permutation is_non_decreasing is_strictly_increasing"
    ),
    "tapelab.segmenting": (
        "segment_max segment_mean segment_min segment_prod segment_sum unsorted_segment_max"
        " unsorted_segment_mean unsorted_segment_min unsorted_segment_prod"
        " unsorted_segment_sqrt_n unsorted_segment_sum"
    ),
    "tapelab.stateless": "sobol_sample",
    "tapelab.special": "bessel_i0 bessel_i0e bessel_i1 bessel_i1e",
}
"""Names of `tf.math` by the module they stand in."""

IN_LINALG: Final = {
    "tapelab.diagonals": "band_part diag diag_part set_diag tensor_diag tensor_diag_part",
    "tapelab.equations": (
        "det expm inv logdet logm lstsq matrix_rank pinv slogdet solve sqrtm triangular_solve"
    ),
    "tapelab.factorizing": (
        "cholesky cholesky_solve eig eigh eigh_tridiagonal eigvals eigvalsh lu lu_matrix_inverse"
        " lu_reconstruct lu_solve qr svd"
    ),
    "tapelab.nn": "l2_normalize",
    "tapelab.tridiagonal": "banded_triangular_solve tridiagonal_matmul tridiagonal_solve",
}
"""Names of `tf.linalg` by the module they stand in."""

IN_RANDOM: Final = {
    "tapelab.generating": "Algorithm create_rng_state",
    "tapelab.stateless": (
        "fold_in split stateless_binomial stateless_categorical stateless_gamma stateless_normal"
        " stateless_parameterized_truncated_normal stateless_poisson stateless_truncated_normal"
        " stateless_uniform"
    ),
}
"""Names of `tf.random` by the module they stand in."""

LAZY_PARTS: Final[dict[str, dict[str, str]]] = {
    "tapelab.dtypes": {
        "bool": "tapelab.dtypes:bool_",
        **_placed({"tapelab.choosing": "cast complex saturate_cast"}),
    },
    "tapelab.linalg": _placed(IN_LINALG),
    "tapelab.random": {"experimental": "tapelab.random_experimental", **_placed(IN_RANDOM)},
    "tapelab.math": {"special": "tapelab.special", **_placed(IN_MATH)},
}
"""Where the lazy names of a part of the namespace are found, by the module of that part."""
