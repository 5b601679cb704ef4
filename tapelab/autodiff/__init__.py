"""`tf.autodiff`: forward-mode differentiation."""

from __future__ import annotations

from typing import Any, Self

from tapelab import nest
from tapelab.array_ops.creation import zeros_like
from tapelab.core.cell import Holder
from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import DispatchedType
from tapelab.core.forward import Accumulating
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.logger import warn
from tapelab.core.tape import UnconnectedGradients
from tapelab.core.tensor import Tensor
from tapelab.namespace.missing_names import in_module


class ForwardAccumulator(Accumulating, metaclass=DispatchedType):
    """Carries a direction forward through what its block computes: Jacobian-vector products.

    One pass gives, for every result, how fast it moves when the primals move along the tangents:
    cheap where there are few inputs and many outputs, as a tape is where there are many inputs and
    one loss.
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        super().__init__()
        nest.assert_same_structure(primals, tangents)
        flat = nest.flatten(primals)
        if len({id(each) for each in flat}) != len(flat):
            raise ValueError(
                f"Tensor {flat} was specified as a primal multiple times. This may indicate an "
                "error. If it was intended, please sum the corresponding tangents."
            )
        for primal, tangent in zip(flat, nest.flatten(tangents), strict=True):
            self._watch(primal, tangent)

    def _watch(self, primal: Any, tangent: Any) -> None:
        """Let a value move along a tangent, which is given in its dtype and shape."""
        if not hasattr(primal, "dtype"):
            raise AttributeError(
                f"'{type(primal).__name__}' object has no attribute 'dtype': the primal {primal!r} "
                "is neither a tensor nor a variable. Try tf.constant first."
            )
        if not primal.dtype.is_differentiable:
            warn(
                "The dtype of the watched primal must be floating (e.g. tf.float32), got %r",
                primal.dtype,
            )
        moves = to_tensor(tangent, primal.dtype)
        if isinstance(primal, Holder):
            self._of_variable[primal._cell.identity.id] = moves
            self._follow(primal._cell.state._id, moves)
        else:
            self._follow(primal._id, moves)

    def __enter__(self) -> Self:
        if self._recording:
            raise ValueError("Accumulator is already recording.")
        self._push()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._recording:
            self._pop()

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """How fast each of the values moves, in their structure; None for one that stands still.

        With `UnconnectedGradients.ZERO` what stands still gives zeros.
        """
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        return nest.map_structure(lambda each: self._tangent(each, zero=zero), primals)

    def _tangent(self, primal: Any, *, zero: bool) -> Any:
        if isinstance(primal, IndexedSlices):
            rows = self._tangent(primal.values, zero=zero)
            return None if rows is None else IndexedSlices(rows, primal.indices, primal._lengths)
        if isinstance(primal, Holder):
            cell = primal._cell
            tangent = self._of_variable.get(cell.identity.id)
            value = cell.state
        elif isinstance(primal, Tensor):
            tangent, value = self._tangents.get(primal._id), primal
        else:
            raise AttributeError(
                f"'{type(primal).__name__}' object has no attribute '_id': {primal!r} is neither a "
                "tensor nor a variable. A plain number does not move."
            )
        return zeros_like(value) if tangent is None and zero else tangent


__getattr__, __dir__ = in_module(__name__)
