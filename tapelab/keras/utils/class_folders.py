"""The files of a folder with one subfolder for each class, their labels, and a validation part."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tapelab.data.dataset import Dataset
from tapelab.data.dataset_elements import Element, spec
from tapelab.dtypes import float32, int32
from tapelab.framework.scopes import off_tape


@dataclass(frozen=True)
class LabelledFiles:
    """Paths of files, a label for each or none, and the names of the classes."""

    paths: list[str]
    labels: Any
    class_names: list[str] | None

    def part(self, rows: slice) -> LabelledFiles:
        """Return some of the files."""
        labels = None if self.labels is None else self.labels[rows]
        return LabelledFiles(self.paths[rows], labels, self.class_names)


@dataclass(frozen=True)
class FolderRequest:
    """Which files of a folder to read, how to label them, and in which order and batches."""

    directory: Any
    labels: Any
    label_mode: str | None
    class_names: Any
    batch_size: int | None
    shuffle: bool
    seed: int | None
    validation_split: float | None
    subset: str | None
    follow_links: bool
    verbose: bool
    formats: tuple[str, ...]
    what: str
    """What the files hold: image, text or audio."""
    format: str = "tf"

    def check(self) -> None:
        """Raise ValueError for arguments that do not fit."""
        self._check_labels()
        check_format(self.format)
        share, subset = self.validation_split, self.subset
        if share and not 0 < share < 1:
            raise ValueError(f"`validation_split` must be between 0 and 1, received: {share}")
        if bool(share) != bool(subset):
            raise ValueError("If `subset` is set, `validation_split` must be set, and inversely.")
        if subset not in {"training", "validation", "both", None}:
            raise ValueError(
                f'`subset` must be either "training", "validation" or "both", received: {subset}'
            )
        if share and self.shuffle and self.seed is None:
            raise ValueError(
                "If using `validation_split` and shuffling the data, you must provide a `seed` "
                "argument, to make sure that there is no overlap between the training and "
                "validation subset."
            )

    def _check_labels(self) -> None:
        labels = self.labels
        if labels not in ("inferred", None):
            if not isinstance(labels, (list, tuple)):
                raise ValueError(
                    "`labels` argument should be a list/tuple of integer labels, of the same size "
                    f"as the number of {self.what} files in the target directory. If you wish to "
                    "infer the labels from the subdirectory names in the target directory, pass "
                    f'`labels="inferred"`. If you wish to get a dataset that only contains '
                    f"{self.what} samples (no labels), pass `labels=None`. "
                    f"Received: labels={labels}"
                )
            if self.class_names:
                raise ValueError(
                    'You can only pass `class_names` if `labels="inferred"`. Received: '
                    f"labels={labels}, and class_names={self.class_names}"
                )
        if self.label_mode not in {"int", "categorical", "binary", None}:
            raise ValueError(
                '`label_mode` argument must be one of "int", "categorical", "binary", or None. '
                f"Received: label_mode={self.label_mode}"
            )

    @property
    def is_labelled(self) -> bool:
        """Whether the elements have labels."""
        return self.labels is not None and self.label_mode is not None

    @property
    def start_seed(self) -> int:
        """The seed, or a number drawn by NumPy."""
        return int(np.random.randint(int(1e6))) if self.seed is None else self.seed  # noqa: NPY002 - as Keras draws it

    def files(self, seed: int) -> list[LabelledFiles]:
        """Return the files of the wanted part, or of both parts; ValueError if there are none."""
        indexed = self._indexed(seed)
        if self.label_mode == "binary" and self.is_labelled and len(indexed.class_names or ()) != 2:
            raise ValueError(
                'When passing `label_mode="binary"`, there must be exactly 2 class_names. '
                f"Received: class_names={indexed.class_names}"
            )
        names = ("training", "validation") if self.subset == "both" else (self.subset,)
        parts = [self._part(indexed, name) for name in names]
        for name, part in zip(names, parts, strict=True):
            if not part.paths:
                which = f"{name} " if self.subset == "both" else ""
                raise ValueError(
                    f"No {which}{self.what}{'s' * (self.what == 'image')}"
                    f"{' files' * (self.what != 'image')} found in directory {self.directory}. "
                    + _formats(self.what, self.formats)
                )
        return parts

    def _part(self, indexed: LabelledFiles, subset: str | None) -> LabelledFiles:
        if not self.validation_split:
            return indexed
        count = int(self.validation_split * len(indexed.paths))
        border = len(indexed.paths) - count if count else 0
        if subset == "training":
            sys.stdout.write(f"Using {len(indexed.paths) - count} files for training.\n")
            return indexed.part(slice(border))
        sys.stdout.write(f"Using {count} files for validation.\n")
        return indexed.part(slice(border, None))

    def _indexed(self, seed: int) -> LabelledFiles:
        """All files, shuffled by the seed."""
        folders = self._folders()
        names, numbers = [], []
        for number, folder in enumerate(folders):
            for path in _files_in(os.path.join(self.directory, folder), self):  # noqa: PTH118 - the text that Keras builds
                names.append(path)
                numbers.append(number)
        labels: Any = np.array(numbers, np.int32)
        class_names: list[str] | None = folders
        if not self.is_labelled:
            labels = class_names = None
        elif self.labels != "inferred":
            labels, class_names = self._given_labels(len(names))
        if self.verbose:
            end = "" if class_names is None else f" belonging to {len(class_names)} classes"
            sys.stdout.write(f"Found {len(names)} files{end}.\n")
        if self.shuffle:
            for values in (names, labels):
                if values is not None:
                    np.random.RandomState(seed).shuffle(values)
        return LabelledFiles(names, labels, class_names)

    def _given_labels(self, count: int) -> tuple[list[Any], list[str]]:
        if len(self.labels) != count:
            raise ValueError(
                "Expected the lengths of `labels` to match the number of files in the target "
                f"directory. len(labels) is {len(self.labels)} while we found {count} files in "
                f"directory {self.directory}."
            )
        return list(self.labels), [str(label) for label in sorted(set(self.labels))]

    def _folders(self) -> list[str]:
        """The folders of the classes; the folder itself if labels are not read from names."""
        if not self.is_labelled or self.labels != "inferred":
            if self.class_names is not None:
                raise ValueError(
                    "When `labels=None` (no labels), argument `class_names` cannot be specified."
                    if not self.is_labelled
                    else "When argument `labels` is specified, argument `class_names` cannot be "
                    "specified (the `class_names` will be the sorted list of labels)."
                )
            return [""]
        folders = sorted(
            each.name
            for each in Path(os.fsdecode(self.directory)).iterdir()
            if each.is_dir() and not each.name.startswith(".")
        )
        if self.class_names is None:
            return folders
        if not set(self.class_names) <= set(folders):
            raise ValueError(
                "The `class_names` passed did not match the names of the subdirectories of the "
                f"target directory. Expected: {folders} (or a subset of it), but received: "
                f"class_names={self.class_names}"
            )
        return list(self.class_names)


def check_format(kind: str) -> None:
    """Raise ValueError unless it is the name of a kind of Dataset."""
    if kind not in {"tf", "grain"}:
        raise ValueError(f'`format` should be either "tf" or "grain". Received: format={kind}')


def refuse_grain(kind: str) -> None:
    """Raise ImportError for Datasets of Grain."""
    if kind == "grain":
        raise ImportError(
            'tapelab makes Datasets of TensorFlow, and none of Grain. Try format="tf".'
        )


def _formats(what: str, formats: Sequence[str]) -> str:
    if what == "image":
        return f"Allowed formats: {formats}"
    return f"Allowed format: {formats[0]}" if what == "text" else f"Allowed format(s): {formats}"


def _files_in(folder: str, request: FolderRequest) -> Iterator[str]:
    """The paths of the files below a folder with one of the endings, sorted."""
    walk = os.walk(folder, followlinks=request.follow_links)
    for root, _, names in sorted(walk):
        for name in sorted(names):
            if name.lower().endswith(request.formats):
                yield os.path.join(root, name)  # noqa: PTH118 - the text that Keras builds


def labelled_dataset(
    files: LabelledFiles, request: FolderRequest, load: Any, loaded_spec: Any, seed: int | None
) -> Dataset:
    """Return the loaded files with their labels, shuffled if there is a seed.

    `load` turns a path into an array, of which `loaded_spec` promises shape and dtype.
    """
    paths = Dataset.from_tensor_slices(files.paths)
    rows = paths
    if request.is_labelled:
        rows = Dataset.zip((paths, _labels(files, request.label_mode)))
    if seed is not None:
        rows = rows.shuffle((request.batch_size or 128) * 8, seed=seed)

    def start() -> Iterator[Element]:
        for row in rows.start():
            path, *label = row if request.is_labelled else (row,)
            with off_tape():
                content = load(path[()].decode())
            yield (content, *label) if label else content

    def spec_of() -> Any:
        return (loaded_spec, rows.element_spec[1]) if request.is_labelled else loaded_spec

    return rows.then("_ParallelMapDataset", start, spec_of=spec_of)


def _labels(files: LabelledFiles, mode: str | None) -> Dataset:
    """The labels: numbers, one-hot rows, or floats 0 and 1."""
    numbers: Any = np.asarray(files.labels, np.int32)
    if mode == "binary":
        numbers = numbers.astype(np.float32)[:, None]
    if mode == "categorical":
        numbers = np.eye(len(files.class_names or ()), dtype=np.float32)[numbers]
    dataset = Dataset.from_tensor_slices(numbers)
    kind = int32 if mode == "int" else float32
    return dataset.then(
        "_ParallelMapDataset", dataset.start, spec_of=lambda: spec(numbers.shape[1:], kind)
    )
