"""Write tables of Keras's preprocessing layers: python tests/conformance/preprocessing_grid.py.

A layer is called with each kind of input (lists, dense, ragged, sparse and symbolic tensors) for
each output mode and option, and adapted to data. record.py asks TensorFlow for the answers.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Final

# It runs from a checkout, beside no package of its own.
sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from conformance.snippets import TABLES  # noqa: E402  after the path

MODES: Final = ("int", "one_hot", "multi_hot", "count")
WORDS: Final = "['a', 'b', 'c', 'd']"
TEXTS: Final = "['The quick, brown Fox!', 'jumped over the lazy-dog', '', 'the the fox']"
STRINGS: Final = (
    "[['a', 'c', 'd'], ['d', 'z', 'b']]", "tf.constant(['a', 'q'])", "tf.constant('q')",
    "[['a'], ['b']]", "tf.ragged.constant([['a'], ['b', 'q']])",
    "tf.sparse.from_dense([['a', ''], ['b', 'q']])", "tf.constant([[['a', 'q']]])",
)  # fmt: skip
INTEGERS: Final = (
    "[[1, 2], [0, 4]]", "[1, 4]", "3", "[[1], [2]]", "tf.constant([[[1, 2], [3, 3]]])",
    "tf.ragged.constant([[1], [2, 0]])", "tf.constant([[7, 1]], tf.int64)",
)  # fmt: skip
FLOATS: Final = ("[[-1.0, 0.0, 0.5], [1.0, 2.0, 7.0]]", "[[-1.0], [1.0]]", "1.5", "[[1, 5]]")


def main() -> None:
    """Write the tables."""
    tables = {"lookup": lookup(), "features": features(), "text": text()}
    for kind, programs in tables.items():
        written = {re.sub(r"\W+", "_", each).strip("_"): each for each in programs}
        lines = [f"{name}: {program}" for name, program in written.items()]
        head = f"# Written by preprocessing_grid.py: preprocessing layers, {kind}.\n\n"
        path = TABLES / f"preprocessing_grid_{kind}.txt"
        path.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


def called(layer: str, inputs: str) -> str:
    """A program that calls a layer."""
    return f"tf.keras.layers.{layer}({inputs})"


def symbolic(layer: str, shape: str, dtype: str) -> str:
    """A program that calls a layer with a symbolic input."""
    call = called(layer, f"tf.keras.Input({shape}, dtype={dtype!r})")
    return f"[(each.shape, each.dtype) for each in [{call}]]"


def adapted(layer: str, data: str, result: str) -> str:
    """A program that adapts a layer and asks it for something."""
    return f"[(each.adapt({data}), {result})[1] for each in [tf.keras.layers.{layer}]]"


def modes() -> Iterator[tuple[str, str]]:
    """Each output mode, dense and sparse, as arguments."""
    for mode, sparse in product(MODES, (False, True)):
        yield mode, f"output_mode={mode!r}" + (", sparse=True" if sparse else "")


def lookup() -> Iterator[str]:
    """Strings and integers in a vocabulary."""
    for mode, arguments in modes():
        layer = f"StringLookup(vocabulary={WORDS}, {arguments})"
        for inputs in STRINGS:
            if mode == "int" or "sparse" not in f"{arguments}{inputs}" or "[[[" in inputs:
                yield called(layer, inputs)
        for option in (
            *("num_oov_indices=2", "num_oov_indices=0", "mask_token='b'", "salt=7"),
            *("max_tokens=8, pad_to_max_tokens=True", "mask_token='', num_oov_indices=3, salt=7"),
        ):
            yield called(
                f"StringLookup(vocabulary={WORDS}, {option}, {arguments})", STRINGS[0]
            )
        for shape in ("(3,)", "(1,)", "()"):
            yield symbolic(layer, shape, "string")
        for option in (
            *("num_oov_indices=1", "num_oov_indices=3", "mask_token=0"),
            "num_oov_indices=3, oov_method='farmhash', salt=(1, 2)",
        ):
            integers = f"IntegerLookup(vocabulary=[10, 20, 5], {option}, {arguments})"
            yield called(integers, "[[10, 7], [5, 21]]")
    for option in ("", ", mask_token=''", ", oov_token='?'"):
        yield called(
            f"StringLookup(vocabulary={WORDS}, invert=True{option})", "[[0, 1], [4, 9]]"
        )
    yield called("IntegerLookup(vocabulary=[7, 8], invert=True)", "[[0, 1], [2, 9]]")
    for option in ("", "max_tokens=3", "mask_token=''", "num_oov_indices=2", "oov_token='b'"):
        for data in ("[['b', 'a'], ['a', 'c']]", "['b', 'a', 'a', '']"):
            yield adapted(f"StringLookup({option})", data, "each.get_vocabulary()")
            dataset = f"tf.data.Dataset.from_tensor_slices({data}).batch(1)"
            yield adapted(f"StringLookup({option})", dataset, "each.get_vocabulary(False)")
    integers = ("[3, 1, 3, 2]", "np.array([[3, 1], [3, -1]])")
    for data in (*integers, "tf.ragged.constant([[3], [3, 1]])"):
        yield adapted("IntegerLookup()", data, "each.get_vocabulary()")
    for option in ("", ", max_tokens=6, pad_to_max_tokens=True", ", num_oov_indices=2"):
        layer = f"StringLookup(output_mode='tf_idf'{option})"
        for result in ("each([['a', 'b', 'q']])", "each(['a'])", "each.vocabulary_size()"):
            yield adapted(layer, "[['b', 'a'], ['a', 'c'], ['a', 'a']]", result)
    for option in (
        *("max_tokens=1", "num_oov_indices=-1", "output_mode='x'", "salt='a'", "vocabulary=[]"),
        *("invert=True, output_mode='count'", "sparse=True", "pad_to_max_tokens=True"),
        *("idf_weights=[1.0]", "vocabulary=['a', 'b'], max_tokens=2", "vocabulary=['a', 'a']"),
        *("vocabulary='/no/file'", "vocabulary=['a', 'm'], mask_token='m'", "other=1"),
    ):
        yield f"tf.keras.layers.StringLookup({option}).name"
    for option in ("max_tokens=1", "vocabulary_dtype='int32'", "salt=1", "oov_method='x'"):
        yield f"tf.keras.layers.IntegerLookup({option}).name"
    yield called("StringLookup()", "['a']")
    yield called("StringLookup(output_mode='count')", "['a']")
    yield adapted(f"StringLookup(vocabulary={WORDS})", "['a']", "each.get_vocabulary()")


def features() -> Iterator[str]:
    """Encodings, bins, hashes and statistics."""
    for mode, arguments in modes():
        for inputs in INTEGERS:
            if not ("sparse" in arguments and "ragged" in inputs and mode == "one_hot"):
                yield called(f"CategoryEncoding(5, {arguments})", inputs)
                if inputs != "3":
                    yield called(f"Hashing(5, {arguments})", inputs)
        weighted = f"{INTEGERS[0]}, count_weights=[[0.5, 1.0], [2.0, 3.0]]"
        yield called(f"CategoryEncoding(5, {arguments})", weighted)
        for shape in ("(2,)", "(1,)"):
            yield symbolic(f"CategoryEncoding(5, {arguments})", shape, "int32")
            yield symbolic(f"Discretization([0.0, 1.0], {arguments})", shape, "float32")
            yield symbolic(f"Hashing(5, {arguments})", shape, "string")
        for inputs in FLOATS:
            yield called(f"Discretization([0.0, 1.0, 2.0], {arguments})", inputs)
        for option, inputs in product(
            ("salt=133", "salt=(1, 2)", "mask_value=''", "dtype='int32'"),
            ("[['a', ''], ['omar', 'stringer']]", "[['a'], ['omar']]"),
        ):
            yield called(f"Hashing(5, {option}, {arguments})", inputs)
        for pair in (
            "(tf.constant(['a', 'b']), tf.constant([1, 2]))",
            "(tf.constant([['a'], ['b']]), tf.constant([[1], [2]]))",
            "(tf.constant('a'), tf.constant(1))", "(tf.constant([1]),)", "tf.constant([1])",
        ):
            yield called(f"HashedCrossing(5, {arguments})", pair)
    data = "np.array([[-1.5, 1.0, 3.4, 0.5], [0.0, 3.0, 1.3, 0.0]])"
    for bins, result in product((2, 3, 4), ("each.bin_boundaries", f"each({data})")):
        yield adapted(f"Discretization(num_bins={bins})", data, result)
        numbers = "tf.data.Dataset.from_tensor_slices(np.sqrt(np.arange(100.0))).batch(7)"
        yield adapted(f"Discretization(num_bins={bins}, epsilon=0.1)", numbers, result)
    for layer in (
        *("Discretization()", "Discretization(num_bins=3, bin_boundaries=[0.0])"),
        *("Discretization(num_bins=-1)", "Discretization([0.0], sparse=True)"),
        *("Discretization([0.0], output_mode='x')", "CategoryEncoding()"),
        *("CategoryEncoding(5, 'x')", "CategoryEncoding(0)", "Hashing(0)"),
        *("Hashing(5, salt='a')", "Hashing(5, output_mode='x')", "Hashing(5, sparse=True)"),
        *("Hashing(5, dtype='float32')", "Normalization(mean=1.0)"),
        *("Normalization(mean=1.0, variance=[2.0])",),
        *("Normalization(mean=[[1.0]], variance=[[1.0]])",),
    ):
        yield f"tf.keras.layers.{layer}.name"
    rows = "np.array([[1.0, 2.0], [3.0, 5.0], [8.0, 1.0]], 'float32')"
    for option, given in product(
        ("", "axis=None", "axis=1", "axis=(0, 1)", "invert=True"),
        (
            rows, f"tf.constant({rows})", f"tf.data.Dataset.from_tensor_slices({rows}).batch(2)",
            f"tf.data.Dataset.from_tensor_slices({rows})", f"[{rows}, {rows} * 2]",
            f"tf.data.Dataset.from_tensor_slices(({rows}, [1, 2, 3])).batch(3)", "3",
        ),
    ):  # fmt: skip
        if "0, 1" not in option or "batch(2)" not in given:
            result = f"[tf.convert_to_tensor(each.mean), each.variance + 0, each({rows})]"
            yield adapted(f"Normalization({option})", given, result)
    for option in ("mean=1.0, variance=2.0", "mean=[1.0, 2.0], variance=[2.0, 3.0]", "axis=3"):
        yield called(f"Normalization({option})", "tf.constant([[1.0, 2.0]])")


def text() -> Iterator[str]:
    """Texts as sequences of tokens."""
    options = (
        *("", "standardize=None", "standardize='lower'", "standardize='strip_punctuation'"),
        *("split='character'", "ngrams=2", "ngrams=(2,)", "max_tokens=5", "split=None"),
        *("max_tokens=20, pad_to_max_tokens=True", "output_sequence_length=4", "ragged=True"),
        *("ragged=True, output_sequence_length=2", "sparse=True"),
        *("standardize=tf.strings.upper", "split=lambda x: tf.strings.split(x, 'e')"),
    )
    results = (
        *("each.get_vocabulary()", "each.vocabulary_size()", "each(['the fox jumped', 'no'])"),
        "each([['the fox']])",
    )
    for mode, option in product(("int", "multi_hot", "count", "tf_idf"), options):
        arguments = ", ".join(part for part in (f"output_mode={mode!r}", option) if part)
        if not (mode == "tf_idf" and "sparse" in option):
            for result in results:
                yield adapted(f"TextVectorization({arguments})", TEXTS, result)
        made = f"TextVectorization(vocabulary={WORDS}, {arguments})"
        if mode == "tf_idf":  # the weights are missing
            yield f"tf.keras.layers.{made}.name"
        else:
            yield symbolic(made, "(1,)", "string")
    for stage in ("", ".batch(2)"):
        data = f"tf.data.Dataset.from_tensor_slices({TEXTS}){stage}"
        yield adapted("TextVectorization()", data, "each.get_vocabulary()")
    short = f"TextVectorization(vocabulary={WORDS}, output_sequence_length=3)"
    for inputs in ("['a b c d', 'b']", "'a q'", "tf.constant('a')", "tf.constant([['a'], ['b']])"):
        yield called(short, inputs)
        yield f"tf.function(tf.keras.layers.{short})(tf.constant({inputs}))"
    for stage in ("", ".batch(2)"):
        source = f"tf.data.Dataset.from_tensor_slices(['a b', 'b c']){stage}"
        yield f"list({source}.map(tf.keras.layers.{short}))"
    layers = f"[tf.keras.Input((1,), dtype='string'), tf.keras.layers.{short}]"
    yield f"tf.keras.Sequential({layers}).predict(tf.constant([['a b'], ['q']]), verbose=0)"
    for option in (
        *("max_tokens=1", "standardize='x'", "split='x'", "ngrams='a'", "output_mode='x'"),
        *("output_sequence_length='a'", "output_mode='count', output_sequence_length=3"),
        *("output_mode='count', ragged=True", "pad_to_max_tokens=True", "vocabulary=['a', 'a']"),
    ):
        yield f"tf.keras.layers.TextVectorization({option}).name"


if __name__ == "__main__":
    main()
