"""`tf.train.Checkpoint`: the variables of objects in TensorFlow's checkpoint files, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from tapelab.core.cell import Holder
from tapelab.core.tensor import constant_of
from tapelab.core.variable import Variable
from tapelab.dtypes import int64, string
from tapelab.errors import DataLossError, InvalidArgumentError, NotFoundError
from tapelab.framework.restoration import await_values, restore_new
from tapelab.train.checkpoint_state import latest_checkpoint, write_state
from tapelab.train.object_graph import (
    KEY,
    Node,
    below,
    children_of,
    graph_of,
    identity,
    is_trackable,
    nodes_in,
    value_name,
)
from tapelab.train.tensor_bundle import CheckpointReader, write_bundle

SHOWN: Final = 10
"""The most objects that an error lists."""
UNTRACKABLE: Final = (
    "`Checkpoint` was expecting {name} to be a trackable object (an object derived from "
    "`Trackable`), got {value}. A checkpoint keeps variables: put the value into a tf.Variable."
)


class CheckpointOptions:
    """How a checkpoint is to be written; all is written at once, by one thread, to local files."""

    def __init__(
        self, experimental_io_device: str | None = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Sequence[Callable[..., Any]] | None = None,
        enable_async: bool = False, experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
    ) -> None:  # fmt: skip
        self.experimental_io_device = experimental_io_device
        self.enable_async = enable_async or experimental_enable_async_checkpoint
        self.experimental_enable_async_checkpoint = self.enable_async
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback


class Checkpoint:
    """Groups objects whose variables are saved together.

    Pass them by name, `Checkpoint(step=step, net=net)`, or one object as the root. Variables are
    matched by the names of the attributes that lead to them, not by the order of their creation.
    """

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        if root is not None and not is_trackable(root):
            raise ValueError(UNTRACKABLE.format(name="root", value=root))
        attributes = vars(self)
        attributes.update(_root=root, _save_counter=None)
        known = {} if root is None else children_of(root)
        for name, value in sorted(kwargs.items()):
            if not is_trackable(value):
                raise ValueError(UNTRACKABLE.format(name=name, value=value))
            if name in known and known[name] is not value:
                raise ValueError(
                    f"Cannot create a Checkpoint with keyword argument {name} if root.{name} "
                    "already exists."
                )
            attributes[name] = value

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        restore_new(self)

    def _checkpoint_children(self) -> dict[str, Any]:
        inner = {} if self._root is None else children_of(self._root)
        own = {name: each for name, each in vars(self).items() if not name.startswith("_")}
        counter = {} if self._save_counter is None else {"save_counter": self._save_counter}
        return {**inner, **own, **counter}

    _root: Any
    _save_counter: Variable | None

    @property
    def save_counter(self) -> Variable:
        """How often `save` was called: the number in the names of the files."""
        if self._save_counter is None:
            counter = Variable(0, dtype=int64, trainable=False, name="save_counter")
            self._save_counter = counter
        return self._save_counter

    def write(self, file_prefix: Any, options: Any = None) -> str:
        """Write the variables to files that begin with a prefix; return it."""
        del options
        prefix = str(file_prefix)
        graph, arrays = graph_of(self)
        text = np.empty((), dtype=object)
        text[()] = graph
        write_bundle(prefix, {**arrays, KEY: (string, text)})
        return prefix

    def save(self, file_prefix: Any, options: Any = None) -> str:
        """Write the variables to numbered files; return their prefix, such as `ckpt-1`."""
        prefix = str(file_prefix)
        if not prefix or prefix.endswith("/"):
            raise ValueError(f"The prefix of a checkpoint needs a name at its end. Got {prefix!r}.")
        self.save_counter.assign_add(1)
        path = self.write(f"{prefix}-{int(self.save_counter.numpy())}", options)
        write_state(str(Path(path).parent), path, [path])
        return path

    def read(self, save_path: Any, options: Any = None) -> CheckpointLoadStatus:
        """Restore the variables that `write` wrote, and those of objects that are added later."""
        del options
        return self._restored(str(save_path))

    def restore(self, save_path: Any, options: Any = None) -> Any:
        """Restore the variables that `save` wrote, and those of objects that are added later.

        Nothing is restored if the path is None. The status that is returned can check the result.
        """
        del options
        if save_path is None:
            return InitializationOnlyStatus()
        try:
            status = self._restored(str(save_path))
        except NotFoundError as error:
            raise NotFoundError(
                None, None,
                f"Error when restoring from checkpoint or SavedModel at {save_path}: "
                f"{error.message}\nPlease double-check that the path is correct. You may be "
                "missing the checkpoint suffix (e.g. the '-1' in 'path/to/ckpt-1').",
            ) from error  # fmt: skip
        _ = self.save_counter  # created, and restored
        return status

    def _restored(self, path: str) -> CheckpointLoadStatus:
        restoration = Restoration(CheckpointReader(path), path)
        restoration.bind(self, 0)
        return CheckpointLoadStatus(restoration, self)


class Restoration:
    """Binds objects to the nodes of a checkpoint, and gives variables their values."""

    def __init__(self, reader: CheckpointReader, path: str) -> None:
        if not reader.has_tensor(KEY):
            raise ValueError(
                f"{path} has no graph of objects: TensorFlow 1 or another program wrote it. Read "
                "its tensors by name with tf.train.load_variable."
            )
        self._reader = reader
        try:
            self.nodes: list[Node] = nodes_in(bytes(reader.get_tensor(KEY)))
        except (ValueError, UnicodeDecodeError) as error:
            raise DataLossError(None, None, f"{path} is damaged: {error}") from error
        self.bound: dict[int, Any] = {}
        """The objects by the numbers of their nodes."""
        self._held: list[Any] = []

    def bind(self, value: Any, number: int) -> None:
        """Bind an object and all below it."""
        pending = [(value, number)]
        seen: set[tuple[int, int]] = set()
        while pending:
            owner, at = pending.pop(0)
            if (identity(owner), at) in seen:
                continue
            seen.add((identity(owner), at))
            self._held.append(owner)  # lists of children may exist for this walk only
            if at not in self.bound:
                self.bound[at] = owner
                self._assign(owner, self.nodes[at])
                self._wait_for(owner, at)
            children = children_of(owner)
            for name, child in self.nodes[at].children.items():
                if name in children:
                    pending.append((children[name], child))

    def _wait_for(self, owner: Any, number: int) -> None:
        """Bind again when the object gets new attributes."""
        if self.nodes[number].children and not isinstance(owner, (list, tuple, dict)):
            await_values(owner, lambda: self._resume(number))

    def _resume(self, number: int) -> bool:
        if len(self.bound) < len(self.nodes):
            self.bind(self.bound[number], number)
        return len(self.bound) == len(self.nodes)

    def _assign(self, owner: Any, node: Node) -> None:
        key = node.values.get(value_name(owner) or "")
        if key is None:
            return
        if not isinstance(owner, Holder):
            owner._restore_value(self._reader.get_tensor(key))
            return
        wanted, dtype = owner._cell.dtype, self._reader.dtype(key)
        if wanted != dtype:
            raise InvalidArgumentError(
                None, None,
                f"tensor_name = {key}; expected dtype {wanted.name} does not equal original dtype "
                f"{dtype.name}",
            )  # fmt: skip
        array = self._reader.get_tensor(key)
        shape = owner._cell.shape
        if not shape.is_compatible_with(np.shape(array)):
            raise ValueError(
                f"Received incompatible tensor with shape {np.shape(array)} when attempting to "
                f"restore variable with shape {shape} and name {owner._cell.identity.name}:0."
            )
        _variable_of(owner).assign(constant_of(array))

    def unused(self) -> Iterator[str]:
        """Yield the paths of the file's values for which no object was found."""
        paths = {0: "(root)"}
        pending = [0]
        for number in pending:  # grows while it is walked
            for name, child in self.nodes[number].children.items():
                if child not in paths:
                    paths[child] = f"{paths[number]}.{name}"
                    pending.append(child)
        for number, path in paths.items():
            if self.nodes[number].values and number not in self.bound:
                yield path


def _variable_of(holder: Any) -> Any:
    """The `tf.Variable` of a variable or of what wraps it."""
    return holder if isinstance(holder, Variable) else holder.value


class CheckpointLoadStatus:
    """What `restore` has matched. Its methods check that, and return the status itself."""

    def __init__(self, restoration: Restoration, root: Checkpoint) -> None:
        self._restoration, self._root = restoration, root

    def assert_existing_objects_matched(self) -> CheckpointLoadStatus:
        """Raise AssertionError if a variable of the program got no value."""
        unmatched = self._unmatched()
        if unmatched:
            raise AssertionError(
                f"Found {len(unmatched)} Python objects that were not bound to checkpointed "
                "values, likely due to changes in the Python program. Showing "
                f"{min(SHOWN, len(unmatched))} of {len(unmatched)} unmatched objects: "
                f"{unmatched[:SHOWN]}"
            )
        return self

    def assert_consumed(self) -> CheckpointLoadStatus:
        """Raise AssertionError if a variable got no value, or a value has no variable."""
        self.assert_existing_objects_matched()
        for path in self._restoration.unused():
            raise AssertionError(
                f"Unresolved object in checkpoint {path}: no object has this name."
            )
        return self

    def assert_nontrivial_match(self) -> CheckpointLoadStatus:
        """Raise AssertionError if nothing was restored."""
        if not any(isinstance(each, Holder) for each in self._restoration.bound.values()):
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this means "
                "that the checkpoint does not match the Python program. The following objects have "
                f"no matching checkpointed value: {self._unmatched()}"
            )
        return self

    def _unmatched(self) -> list[Any]:
        restored = {
            identity(self._restoration.bound[number])
            for number, node in enumerate(self._restoration.nodes)
            if node.values and number in self._restoration.bound
        }
        variables = (each for each in below(self._root) if isinstance(each, Holder))
        return [each for each in variables if identity(each) not in restored]

    def expect_partial(self) -> CheckpointLoadStatus:
        """Accept that some values are unused."""
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Do nothing: values are restored at once."""

    def initialize_or_restore(self, session: Any = None) -> None:
        """Do nothing: values are restored at once."""


class InitializationOnlyStatus:
    """The status of `restore(None)`: nothing is restored."""

    def assert_consumed(self) -> Any:
        """Raise AssertionError: there is no checkpoint."""
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_existing_objects_matched = assert_nontrivial_match = run_restore_ops = assert_consumed

    def expect_partial(self) -> InitializationOnlyStatus:
        """Return the status itself."""
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Do nothing: variables have their initial values."""


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """Return a reader of a checkpoint, or of the latest one in a folder."""
    path = str(ckpt_dir_or_file)
    if Path(path).is_dir():
        latest = latest_checkpoint(path)
        if latest is None:
            raise ValueError(
                f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
            )
        path = latest
    return CheckpointReader(path)


def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """Return the names and the shapes of the tensors in a checkpoint."""
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """Return a tensor of a checkpoint by its name, as an array."""
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))
