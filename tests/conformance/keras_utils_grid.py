"""Write the table of Keras's utilities: python tests/conformance/keras_utils_grid.py.

Labels, sequences, windows of time series, splits and folders of files, by their options.
record.py asks TensorFlow for the answers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Final

# It runs from a checkout, beside no package of its own.
sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from conformance.snippets import TABLES  # noqa: E402  after the path

HEAD: Final = "# Written by keras_utils_grid.py: data from arrays and folders, by options.\n\n"
UTILS: Final = "tf.keras.utils"
FOLDER: Final = """\
  import os, tempfile
  def content(at):
      rows = np.arange(6 * 4 * 3).reshape(6, 4, 3) * (at + 1) % 256
      return rows.astype("float32")
  with tempfile.TemporaryDirectory() as folder:
      for name in ("cats", "dogs"):
          os.makedirs(os.path.join(folder, name, "young"))
          for at in range(4):
              path = os.path.join(folder, name, "young" * (at == 3), f"{at}")
              tf.keras.utils.save_img(path + ".png", content(at), scale=False)
              with open(path + ".txt", "w") as file:
                  file.write(f"text {at} of {name}")
              sound = np.sin(np.arange(10 + at)).astype("float32")[:, None]
              tf.io.write_file(path + ".wav", tf.audio.encode_wav(sound, 1000))
"""


def programs() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each program."""
    numbered = {
        "labels": labels(), "sequences": sequences(), "windows": windows(), "splits": splits(),
        "sounds": sounds(), "folders": folders(), "errors": errors(), "pictures": pictures(),
    }  # fmt: skip
    for group, texts in numbered.items():
        for at, text in enumerate(texts):
            yield f"{group}_{at}", text


def labels() -> Iterator[str]:
    """One-hot labels and unit vectors."""
    values = (
        "[0, 2, 1]", "[[1], [0]]", "[[1, 2], [0, 1]]", "np.array([[[1]], [[2]]])", "c([1, 0])",
    )  # fmt: skip
    for value, count in product(values, ("3", "5")):
        yield f"{UTILS}.to_categorical({value}, {count})"
    yield from (f"{UTILS}.to_categorical({value})" for value in values[:4])
    for axis, order in product((0, -1), (1, 2, 3)):
        for value in ("wave((3, 4))", "c(wave((3, 4)))", "np.zeros((2, 2))"):
            yield f"{UTILS}.normalize({value}, axis={axis}, order={order})"


def sequences() -> Iterator[str]:
    """Sequences filled up and cut."""
    rows = ("[[1], [2, 3], [4, 5, 6]]", "[[], [7, 8]]", "[[[1, 1]], [[2, 1], [2, 2]]]")
    for row, longest, padding, truncating in product(
        rows, (None, 2, 4), ("pre", "post"), ("pre", "post")
    ):
        yield (
            f"{UTILS}.pad_sequences({row}, maxlen={longest}, padding={padding!r}, "
            f"truncating={truncating!r}, value=-1)"
        )
    yield f"{UTILS}.pad_sequences([[1.5], [2.5, 3.5]], dtype='float32')"
    yield "tf.keras.preprocessing.sequence.pad_sequences([[1], [2, 3]], dtype='int64')"


def windows() -> Iterator[str]:
    """Windows of a time series."""
    call = f"[b for b in {UTILS}.timeseries_dataset_from_array("
    for length, stride, rate, batch in product((2, 4), (1, 3), (1, 2), (None, 3)):
        tail = f"sequence_stride={stride}, sampling_rate={rate}, batch_size={batch})]"
        yield f"{call}np.arange(12), None, {length}, {tail}"
        yield f"{call}wave((12, 2)), np.arange(12.0), {length}, {tail}"
    for start, end in ((2, 9), (None, 7), (3, None)):
        yield f"{call}np.arange(12), np.arange(12), 2, start_index={start}, end_index={end})]"
    yield f"{call}np.arange(12), np.arange(9), 3, shuffle=True, seed=7, batch_size=2)]"
    made = f"{UTILS}.timeseries_dataset_from_array(wave((9, 2)), np.arange(9), 3)"
    yield f"{made}.element_spec[1].shape"


def splits() -> Iterator[str]:
    """Two parts of a Dataset or of arrays."""
    data = (
        "[np.arange(10), wave((10, 2))]", "np.arange(10.0)", "tf.data.Dataset.range(10)",
        "tf.data.Dataset.from_tensor_slices({'a': np.arange(10), 'b': wave((10, 2))})",
        "tf.data.Dataset.range(10).batch(3)",
    )  # fmt: skip
    sizes = ("left_size=0.2", "right_size=3", "left_size=4, right_size=2", "left_size=0.31")
    for value, size in product(data, sizes):
        yield f"[list(part) for part in {UTILS}.split_dataset({value}, {size})]"
    yield f"[list(p) for p in {UTILS}.split_dataset(wave((9,)), 0.5, shuffle=True, seed=3)]"


def sounds() -> Iterator[str]:
    """WAV files."""
    for length, channels in product((0, 1, 7), (1, 2)):
        sound = f"tf.audio.encode_wav(wave(({length}, {channels})) * 1.2, 8000)"
        yield sound
        for options in ("", ", desired_samples=4", ", desired_channels=1", ", 2, 9"):
            yield f"tuple(tf.audio.decode_wav({sound}{options}))"


def folders() -> Iterator[str]:
    """Files of two classes."""
    options = (
        "", "label_mode='binary'", "label_mode='categorical'", "labels=None",
        "class_names=['dogs', 'cats']", "label_mode=None, batch_size=None", "batch_size=3",
        "labels=[0, 1, 2, 0, 1, 2, 0, 1]",
    )  # fmt: skip
    loads = {
        "image": ", image_size=(3, 2)", "text": ", max_length=8", "audio": "",
    }  # fmt: skip
    splits = (
        "shuffle=False", "shuffle=True, seed=5",
        "shuffle=True, seed=5, validation_split=0.25, subset='training'",
        "shuffle=False, validation_split=0.25, subset='validation'",
    )  # fmt: skip
    for (what, load), option, split in product(loads.items(), options, splits):
        arguments = ", ".join(filter(None, ("folder", option, split)))
        yield _in_folder(f"{what}_dataset_from_directory({arguments}{load})")
    for option in (
        "color_mode='rgba'", "interpolation='nearest'", "crop_to_aspect_ratio=True",
        "pad_to_aspect_ratio=True", "interpolation='bicubic'", "interpolation='area'",
        "data_format='channels_first'",
    ):  # fmt: skip
        sized = f"image_size=(4, 4), seed=1, {option}"
        yield _in_folder(f"image_dataset_from_directory(folder, {sized})")
    for option in ("output_sequence_length=11", "ragged=True", "output_sequence_length=20"):
        yield _in_folder(f"audio_dataset_from_directory(folder, shuffle=False, {option})")


def _in_folder(call: str) -> str:
    """A program that reads a folder of files."""
    return (
        f"\n{FOLDER}"
        f"      dataset = {UTILS}.{call}\n"
        "      paths = [os.path.relpath(p, folder) for p in getattr(dataset, 'file_paths', [])]\n"
        "      read = [list(dataset), dataset.class_names]\n"
        "  read"
    )


def errors() -> Iterator[str]:
    """Arguments that are refused."""
    for arguments in (
        "labels='wrong'", "label_mode='wrong'", "class_names=['a']", "validation_split=2.",
        "validation_split=0.2", "subset='training'", "validation_split=0.2, subset='other'",
        "validation_split=0.2, subset='training'", "labels=[1]", "labels=None, class_names=['a']",
    ):  # fmt: skip
        for what in ("image", "text", "audio"):
            yield _in_folder(f"{what}_dataset_from_directory(folder, {arguments})")
    for arguments in (
        "start_index=-1", "start_index=11", "end_index=-1", "end_index=11", "sampling_rate=0",
        "sequence_stride=0", "format='no'", "sampling_rate=99", "start_index=4, end_index=2",
    ):  # fmt: skip
        yield f"{UTILS}.timeseries_dataset_from_array(np.arange(10), None, 3, {arguments})"
    for sizes in ("", "left_size=0", "left_size=12", "left_size=0.6, right_size=0.6",
                  "left_size='a'", "left_size=0, right_size=0", "left_size=1.5"):  # fmt: skip
        yield f"{UTILS}.split_dataset(np.arange(10), {sizes})"
    for call in ("pad_sequences(3)", "pad_sequences([1])", "pad_sequences([[1]], padding='no')",
                 "pad_sequences([['a']], value='b')", "get_file('a')"):  # fmt: skip
        yield f"{UTILS}.{call}"


def pictures() -> Iterator[str]:
    """Arrays as pictures, and back."""
    for channels, scale in product((1, 3, 4), (True, False)):
        array = f"np.arange(24.0 * {channels}).reshape(6, 4, {channels})"
        yield f"{UTILS}.img_to_array({UTILS}.array_to_img({array}, scale={scale}))"
    for layout in ("channels_first", "channels_last"):
        array = "wave((4, 6, 3)) * 100 + 100"
        smart = "tf.keras.preprocessing.image.smart_resize"
        yield (
            f"{smart}({array}, (3, 3), data_format={layout!r})"
            if layout[-4:] == "last"
            else (f"{smart}(np.moveaxis({array}, -1, 0), (3, 3), data_format={layout!r})")
        )


def main() -> None:
    """Write the table."""
    lines = [f"{name}:{'' if text[0] == chr(10) else ' '}{text}" for name, text in programs()]
    (TABLES / "keras_utils.txt").write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
