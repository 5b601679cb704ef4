"""What the namespace imports when it is first asked for, so that `import tapelab` starts fast."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

MODULES: Final = (
    "audio",
    "autodiff",
    "autograph",
    "bitwise",
    "compat",
    "config",
    "data",
    "debugging",
    "distribute",
    "experimental",
    "image",
    "io",
    "keras",
    "lookup",
    "nn",
    "queue",
    "ragged",
    "random",
    "raw_ops",
    "sets",
    "signal",
    "sparse",
    "strings",
    "summary",
    "test",
    "train",
)
"""Parts of the namespace that are modules: `tf.nn` is `tapelab.nn`."""
NAMES: Final = {
    "tapelab.array_ops.value_ops": "bitcast",
    "tapelab.array_ops.partition_ops": "dynamic_partition dynamic_stitch reverse_sequence",
    "tapelab.autodiff.gradient_overrides": "custom_gradient grad_pass_through",
    "tapelab.autodiff.graph_gradients": "gradients hessians",
    "tapelab.autodiff.recomputation": "recompute_grad",
    "tapelab.autodiff.registered_gradients": "RegisterGradient no_gradient",
    "tapelab.compile.function": "function",
    "tapelab.compile.graph_session": "Graph",
    "tapelab.control_flow": (
        "case cond get_static_value group guarantee_const no_op switch_case while_loop"
    ),
    "tapelab.control_flow.map_ops": "foldl foldr map_fn scan vectorized_map",
    "tapelab.control_flow.python_functions": "numpy_function py_function",
    "tapelab.control_flow.tensor_array": "TensorArray",
    "tapelab.debugging": "assert_equal assert_greater assert_less assert_rank",
    "tapelab.diagnosis": "explain why",
    "tapelab.diagnosis.finite_differences": "check_gradients",
    "tapelab.dtypes": "bfloat16",
    "tapelab.core.variable_roles": "VariableAggregation VariableSynchronization",
    "tapelab.core.logger": "get_logger",
    "tapelab.framework.init_ops": (
        "constant_initializer ones_initializer random_normal_initializer"
        " random_uniform_initializer zeros_initializer"
    ),
    "tapelab.lab.gradient_hints": "hints",
    "tapelab.lab.preferences": "settings",
    "tapelab.linalg.factorizations": "eig eigvals",
    "tapelab.math.counts": "histogram_fixed_width histogram_fixed_width_bins",
    "tapelab.framework.module": "Module",
    "tapelab.nn.convolutions": "conv",
    "tapelab.nn.space_batches": (
        "batch_to_space required_space_to_batch_paddings space_to_batch space_to_batch_nd"
    ),
    "tapelab.ragged.ragged_spec": "RaggedTensorSpec",
    "tapelab.ragged.ragged_tensor": "RaggedTensor",
    "tapelab.recording": "Recording",
    "tapelab.foreign": "record",
    "tapelab.framework.scopes": "inside_function",
    "tapelab.sparse": "SparseTensor",
    "tapelab.sparse.sparse_features": "edit_distance",
    "tapelab.sparse.sparse_spec": "SparseTensorSpec",
    "tapelab.core.type_spec": "TensorSpec TypeSpec type_spec_from_value",
    "tapelab.strings.hash_buckets": "fingerprint",
    "tapelab.strings.numbers": "as_string",
    "tapelab.widgets.show": "show",
    "tapelab.locales": "language",
    "tapelab.widgets.compare": "compare",
    "tapelab.widgets.what_if": "what_if",
    "tapelab.widgets.verdict_card": "check exercise hint progress score",
}
"""Names of `tf` by the module that defines them: `tf.show` is `tapelab.widgets.show.show`."""
RENAMED: Final = {
    "matrix_square_root": "tapelab.linalg.equations:sqrtm",
    "initializers": "tapelab.keras.initializers",
    "losses": "tapelab.keras.losses",
    "metrics": "tapelab.keras.metrics",
    "optimizers": "tapelab.keras.optimizers",
    "load_ipython_extension": "tapelab.lab:attach",
    "tuple": "tapelab.control_flow:tuple_",
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
    "tapelab.math.gamma_functions": (
        "betainc digamma erfcinv erfinv igamma igammac lbeta lgamma ndtri nextafter polygamma zeta"
    ),
    "tapelab.math.counts": "bincount confusion_matrix",
    "tapelab.nn": "l2_normalize log_softmax softmax zero_fraction",
    "tapelab.math.order": (
        "approx_max_k approx_min_k in_top_k invert_permutation is_non_decreasing"
        " is_strictly_increasing"
    ),
    "tapelab.math.segment_reductions": (
        "segment_max segment_mean segment_min segment_prod segment_sum unsorted_segment_max"
        " unsorted_segment_mean unsorted_segment_min unsorted_segment_prod"
        " unsorted_segment_sqrt_n unsorted_segment_sum"
    ),
    "tapelab.random.stateless": "sobol_sample",
    "tapelab.math.special": "bessel_i0 bessel_i0e bessel_i1 bessel_i1e",
}
"""Names of `tf.math` by the module that defines them."""

IN_LINALG: Final = {
    "tapelab.linalg.band_matrices": (
        "band_part banded_triangular_solve diag diag_part set_diag tensor_diag tensor_diag_part"
        " tridiagonal_matmul tridiagonal_solve"
    ),
    "tapelab.linalg.equations": (
        "det expm inv logdet logm lstsq matrix_rank pinv slogdet solve sqrtm triangular_solve"
    ),
    "tapelab.linalg.factorizations": (
        "cholesky cholesky_solve eig eigh eigh_tridiagonal eigvals eigvalsh lu lu_matrix_inverse"
        " lu_reconstruct lu_solve qr svd"
    ),
    "tapelab.nn": "l2_normalize",
}
"""Names of `tf.linalg` by the module that defines them."""

IN_RANDOM: Final = {
    "tapelab.random.generator": "Algorithm create_rng_state",
    "tapelab.random.stateless": (
        "fold_in split stateless_binomial stateless_categorical stateless_gamma stateless_normal"
        " stateless_parameterized_truncated_normal stateless_poisson stateless_truncated_normal"
        " stateless_uniform"
    ),
}
"""Names of `tf.random` by the module that defines them."""

IN_DISTRIBUTE: Final = {
    "tapelab.distribute.strategy": (
        "InputContext MirroredStrategy MultiWorkerMirroredStrategy OneDeviceStrategy ReduceOp"
        " ReplicaContext Strategy get_replica_context get_strategy has_strategy"
        " in_cross_replica_context"
    ),
}
"""Names of `tf.distribute` by the module that defines them."""

IN_EXPERIMENTAL: Final = {
    "tapelab.experimental.extension_type": (
        "BatchableExtensionType ExtensionType ExtensionTypeSpec"
    ),
    "tapelab.experimental.type_dispatch": (
        "dispatch_for_api dispatch_for_binary_elementwise_apis"
        " dispatch_for_binary_elementwise_assert_apis dispatch_for_unary_elementwise_apis"
        " unregister_dispatch_for"
    ),
}
"""Names of `tf.experimental` by the module that defines them."""

IN_TRAIN: Final = {
    "tapelab.io.example_messages": (
        "BytesList Example Feature FeatureList FeatureLists Features FloatList Int64List"
        " SequenceExample"
    ),
    "tapelab.train.checkpoint": (
        "Checkpoint CheckpointOptions list_variables load_checkpoint load_variable"
    ),
    "tapelab.train.checkpoint_manager": "CheckpointManager",
    "tapelab.train.checkpoint_state": "get_checkpoint_state latest_checkpoint",
}
"""Names of `tf.train` by the module that defines them."""

LAZY_PARTS: Final[dict[str, dict[str, str]]] = {
    "tapelab.dtypes": {
        "bool": "tapelab.dtypes:bool_",
        **_placed({"tapelab.array_ops.value_ops": "cast complex saturate_cast"}),
    },
    "tapelab.linalg": _placed(IN_LINALG),
    "tapelab.distribute": _placed(IN_DISTRIBUTE),
    "tapelab.experimental": {
        "extension_type": "tapelab.experimental.extension_type",
        "numpy": "tapelab.experimental.numpy",
        **_placed(IN_EXPERIMENTAL),
    },
    "tapelab.summary": _placed(
        {"tapelab.summary.event_files": "SummaryWriter create_file_writer scalar"}
    ),
    "tapelab.train": _placed(IN_TRAIN),
    "tapelab.random": {"experimental": "tapelab.random.experimental", **_placed(IN_RANDOM)},
    "tapelab.data": _placed(
        {
            "tapelab.data.file_datasets": "FixedLengthRecordDataset TFRecordDataset",
        }
    ),
    "tapelab.data.experimental": _placed(
        {
            "tapelab.data.file_datasets": "CsvDataset make_csv_dataset",
        }
    ),
    "tapelab.io": _placed(
        {
            "tapelab.io.csv_fields": "decode_csv",
            "tapelab.io.example_parser": (
                "parse_example parse_single_example parse_single_sequence_example"
            ),
            "tapelab.io.feature_specs": (
                "FixedLenFeature FixedLenSequenceFeature RaggedFeature SparseFeature VarLenFeature"
            ),
            "tapelab.io.record_files": "TFRecordOptions TFRecordWriter",
        }
    ),
    "tapelab.math": {"special": "tapelab.math.special", **_placed(IN_MATH)},
}
"""Where the lazy names of a part of the namespace are found, by the module of that part."""


def load(place: str) -> Any:
    """What stands at a place: a module, or `module:attribute`."""
    module, _, attribute = place.partition(":")
    loaded = import_module(module)
    return getattr(loaded, attribute) if attribute else loaded


def late(place: str) -> Callable[[Any], Any]:
    """A function of one thing that is loaded from its place when it is called."""

    def loaded(argument: Any) -> Any:
        return load(place)(argument)

    return loaded
