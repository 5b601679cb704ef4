"""How public functions hand composite tensors over, seen with a kind made up for the test."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tapelab as tl
from tapelab.core.composite_tensor import CompositeTensor, NotDense
from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import IMPLEMENTATIONS, implements, public


class Pair(CompositeTensor):
    """Two tensors that stand for their sum."""

    kind = "pair"

    def __init__(self, one, other):
        self.one, self.other = to_tensor(one), to_tensor(other)

    def _refusal(self):
        return "a pair is no tensor"

    def _components(self):
        return [self.one, self.other]

    def _with_components(self, components):
        return Pair(*components)

    def _numbers(self):
        return self.one

    def _like(self, gradient):
        return Pair(gradient, self.other)

    def _map_elements(self, function, args, kwargs):
        rest = args[1:]
        return Pair(function(self.one, *rest, **kwargs), function(self.other, *rest, **kwargs))

    def _printed(self, entry, ends):
        return f"{entry(self.one._value)}+{entry(self.other._value)}"

    def __radd__(self, other):
        return "reflected"

    def __rmatmul__(self, other):
        return "reflected matmul"

    def __gt__(self, other):
        return "mirrored"


@pytest.fixture
def implementations():
    """Let a test register implementations, and bring back those of before afterwards.

    The implementations for ragged tensors are registered when one is first made.
    """
    tl.ragged.constant([[1.0]])
    before = dict(IMPLEMENTATIONS)
    yield IMPLEMENTATIONS
    IMPLEMENTATIONS.clear()
    IMPLEMENTATIONS.update(before)


def test_a_composite_is_refused_where_a_tensor_is_needed():
    with pytest.raises(ValueError, match="a pair is no tensor") as caught:
        to_tensor(Pair(1.0, 2.0))
    assert type(caught.value) is NotDense
    assert type(caught.value).__name__ == "ValueError"


@pytest.mark.parametrize("nest", [[1.0, 2.0], [[0.0], 0.0]])
def test_a_composite_inside_a_list_is_refused_by_its_own_words(nest):
    nest[0] = Pair(1.0, 2.0)
    with pytest.raises(NotDense, match="a pair is no tensor"):
        to_tensor(nest)


def test_a_function_without_an_implementation_refuses_with_the_composites_words():
    with pytest.raises(NotDense, match="a pair is no tensor"):
        tl.reduce_sum(Pair(1.0, 2.0))


def test_an_implementation_carries_out_its_function(implementations):
    @implements("pair", tl.reduce_sum)
    def total(input_tensor, axis=None, keepdims=False):
        return input_tensor.one + input_tensor.other

    assert float(tl.reduce_sum(Pair(1.0, 2.0))) == 3.0
    assert float(tl.math.reduce_sum(Pair(1.0, 5.0))) == 6.0


def test_an_implementation_may_decline(implementations):
    implements("pair", tl.concat)(lambda values, axis: NotImplemented)
    with pytest.raises(NotDense):
        tl.concat([Pair(1.0, 2.0), Pair(1.0, 2.0)], 0)


def test_functions_of_one_name_in_two_namespaces_are_distinct(implementations):
    implements("pair", tl.split)(lambda value, parts: "an array")
    implements("pair", tl.strings.split)(lambda value: "a text")
    assert tl.strings.split(Pair(1.0, 2.0)) == "a text"
    assert tl.split(Pair(1.0, 2.0), 2) == "an array"


def test_a_function_of_single_entries_is_mapped_without_an_implementation():
    roots = tl.sqrt(Pair(4.0, 9.0))
    assert [float(each) for each in roots._components()] == [2.0, 3.0]
    assert float(tl.cast(Pair(4.7, 9.0), tl.int32).one) == 4


def test_an_implementation_goes_before_the_mapping(implementations):
    implements("pair", tl.sqrt)(lambda x: "implemented")
    assert tl.sqrt(Pair(4.0, 9.0)) == "implemented"


@pytest.mark.parametrize("left", [tl.constant(1.0), tl.Variable(1.0)])
def test_operators_defer_to_a_composite_on_the_right(left):
    pair = Pair(1.0, 2.0)
    assert left + pair == "reflected"
    assert left @ pair == "reflected matmul"
    assert (left < pair) == "mirrored"
    with pytest.raises(TypeError, match="unsupported operand"):
        left * pair


def test_a_dense_call_never_reaches_an_implementation(implementations):
    def forbidden(*args, **kwargs):
        raise AssertionError

    implements("ragged", tl.reduce_sum, tl.sqrt, tl.concat)(forbidden)
    assert float(tl.reduce_sum(tl.sqrt(tl.concat([[4.0], [9.0]], 0)))) == 5.0


def test_decorated_functions_keep_their_names_and_signatures():
    @public
    def one(x, axis=0):
        """Something."""

    @public(elementwise=True)
    def other(x):
        """Something else."""

    assert (one.__name__, one.__doc__, other.__name__) == ("one", "Something.", "other")


def test_a_composite_is_watched_and_receives_a_gradient_of_its_form():
    x = Pair(3.0, 5.0)
    with tl.GradientTape() as tape:
        tape.watch({"x": x})
        y = x.one * x.one * x.other
    gradient = tape.gradient(y, [x])[0]
    assert isinstance(gradient, Pair)
    assert float(gradient.one) == 30.0


def test_a_composite_target_stands_for_its_numbers():
    v = tl.Variable(3.0)
    with tl.GradientTape() as tape:
        y = Pair(v * v, 1.0)
    assert float(tape.gradient(y, v)) == 6.0


def test_nests_see_its_parts_only_on_request():
    x = Pair(1.0, 2.0)
    assert tl.nest.flatten([x]) == [x]
    assert [float(e) for e in tl.nest.flatten([x], expand_composites=True)] == [1.0, 2.0]
    grown = tl.nest.map_structure(lambda e: e + 1, {"x": x}, expand_composites=True)
    assert [float(e) for e in grown["x"]._components()] == [2.0, 3.0]


def test_it_prints_itself(capsys):
    tl.print("sum", Pair(1.0, 2.0), output_stream=sys.stdout)
    assert capsys.readouterr().out == "sum 1+2\n"


def test_it_counts_as_a_tensor():
    assert tl.is_tensor(Pair(1.0, 2.0))
    assert not isinstance(Pair(1.0, 2.0), tl.Tensor)


def test_ragged_tensors_are_loaded_on_first_access():
    program = (
        "import sys, tapelab as tf\n"
        "assert not any(name.startswith('tapelab.ragged') for name in sys.modules)\n"
        "tf.ragged.constant([[1], []])\n"
        "assert 'tapelab.ragged.ragged_tensor' in sys.modules\n"
        "assert tf.RaggedTensor is sys.modules['tapelab.ragged.ragged_tensor'].RaggedTensor\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_kinds_that_are_there_have_implementations():
    tl.ragged  # noqa: B018 - loading it registers them
    kinds = {kind for kind, _ in IMPLEMENTATIONS}
    assert {"ragged", "ragged shape"} <= kinds


def test_the_shape_of_a_ragged_tensor_has_no_type_spec():
    shape = tl.shape(tl.ragged.constant([[1, 2], [3]]))
    with pytest.raises(TypeError, match="Could not build a TypeSpec for <DynamicRaggedShape"):
        tl.type_spec_from_value(shape)


def test_a_ragged_tensor_has_the_type_spec_of_its_rows():
    spec = tl.type_spec_from_value(tl.ragged.constant([[1, 2], [3]]))
    assert spec == tl.RaggedTensorSpec([2, None], tl.int32, 1)
