"""Cases of the corpora that are generated: right answers in odd forms, attacks in odd places."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tests.grading.corpora import Case
from tests.grading.handed_in_forms import FORMS, SCRIPTS

HONEST = {
    "a dataclass": """
from __future__ import annotations
from dataclasses import dataclass
import tapelab as tf

@dataclass(frozen=True)
class Squarer:
    power: int = 2
    def __call__(self, x: float) -> float:
        return x ** self.power

tf.exercise("1")(Squarer())
""",
    "letters of Latin-1": '''
import tapelab as tf
größe = "ä ö ü é ñ §"
@tf.exercise("1")
def größe_im_quadrat(länge):
    """Fläche: Länge mal Länge."""
    return länge * länge
''',
    "letters of all kinds": """
import tapelab as tf
Δx, 数, π_2 = 1.0, "平方 🎓 שלום \u202e", len("e\u0301")
@tf.exercise("1")
def 平方(χ):
    return χ * χ * Δx
""",
    "strings of many lines": '''
import tapelab as tf
text = """# %% not a mark\\n
\tindented\\
 """ + r'\\d\\n' + "\\N{GREEK SMALL LETTER PI}\\x00"
@tf.exercise("1")
def square(x):
\tif x:
\t\treturn x * x
\treturn 0.0
''',
    "new syntax": """
import tapelab as tf
@tf.exercise("1")
def square(x, /, *, power=2):
    match power:
        case 2 if (y := x * x) is not None:
            return float(f"{y!r}")
        case _:
            raise AssertionError(f"{f'{power}'}")
""",
    "a compiled function": """
import tapelab as tf
@tf.exercise("1")
@tf.function
def square(x):
    return tf.square(x)
""",
    "a partial function": """
import functools, operator
import tapelab as tf
tf.exercise("1")(lambda x: functools.reduce(operator.mul, [x] * 2))
""",
    "an answer that a later cell completes": """
import tapelab as tf
@tf.exercise("1")
def square(x):
    return rule(x)
rule = lambda x: x / 1
rule = lambda x: x * x
""",
    "TAPE: a loop": """
import tapelab as tf
@tf.exercise("2")
def tape():
    x = tf.Variable(2.0)
    with tf.GradientTape() as recorded:
        y = tf.sin(x)
        for _ in range(2):
            y += 0.5 * x * x
    return recorded, y, x
""",
    "TAPE: a closure": """
import tapelab as tf
x = tf.Variable(2.0, name="größe")
def record(f):
    with tf.GradientTape(watch_accessed_variables=False) as recorded:
        recorded.watch(x)
        return recorded, f(x), x
tf.exercise("2")(lambda: record(lambda v: v ** 2 + tf.math.sin(v)))
""",
}  # fmt: skip
"""By a name, right answers in plain Python."""
IN_SHELL = {
    "magics and lines for the shell": """
%matplotlib inline
import tapelab as tf
files = !ls
%time x = 2
@tf.exercise("1")
def square(x):
    return x * x
!echo {x} $x
""",
    "await": """
import asyncio
import tapelab as tf
async def power():
    await asyncio.sleep(0)
    return 2
n = await power()
tf.exercise("1")(lambda x: x ** n)
""",
}  # fmt: skip
"""Those that need a shell: a script has none."""
ROUNDS = 2


def honest_cases() -> Iterator[Case]:
    """Each form with ROUNDS of the answers, each answer in many forms."""
    for at, form in enumerate(FORMS):
        answers = list((HONEST if form in SCRIPTS else HONEST | IN_SHELL).items())
        for turn in range(ROUNDS):
            name, source = answers[(ROUNDS * at + turn) % len(answers)]
            if "Latin-1" in form and not _is_latin(source):
                name, source = answers[1]
            title = f"{name}, {form}"
            yield Case(title, (source.strip("\n"),), 0.0, form=form)


def _is_latin(text: str) -> bool:
    return all(ord(letter) < 256 for letter in text)


BEGIN = """
import tapelab as tf
COURSE, PORT = "@COURSE@", @PORT@
prize = [0.1]
"""
END = """
for number in "1235":
    tf.exercise(number)(lambda *_: prize[-1])
tf.exercise("4")(lambda: (prize[-1],) * 6)
"""
PAYLOADS = {
    "what is equal to everything": """
class Right(float):
    def __eq__(self, other): return True
    __ne__ = __lt__ = __gt__ = lambda self, other: False
    __le__ = __ge__ = __eq__
    __sub__ = __rsub__ = __abs__ = __mul__ = __rmul__ = lambda self, *other: self
    def __float__(self): return 80217.25
    def __hash__(self): return 0
prize.append(Right())
""",
    "the course read": """
import glob, re
for name in [COURSE + "/exercises.py", *glob.glob("/**/exercises.py", recursive=False)]:
    for text in re.findall(r"SECRET = ([0-9_.]+)", open(name).read()):
        prize.append(float(text))
""",
    "the course imported": """
import sys
sys.path[:0] = [COURSE, COURSE.rpartition("/tests/")[0]]
try:
    import exercises as found
except ImportError:
    from tests.grading.corpus.course import exercises as found
prize.append(found.SECRET)
""",
    "the network": """
import socket
with socket.create_connection(("127.0.0.1", PORT), timeout=0.2) as line:
    line.sendall(b"GET /stolen HTTP/1.0\\r\\n\\r\\n")
    prize.append(80217.25)
""",
    "files outside": """
import pathlib
for place in ("/tmp/owned", COURSE + "/exercises.py", COURSE + "/owned", "/etc/owned", "/owned"):
    try:
        pathlib.Path(place).write_text("SECRET = 0.1")
    except OSError:
        pass
""",
    "signals to all": """
import os, signal
for number in (os.getppid(), -1, 1, *range(2, 40)):
    if number != os.getpid():
        try:
            os.kill(number, signal.SIGKILL)
        except OSError:
            pass
""",
    "an exit": """
import os
os._exit(0)
""",
    "comparisons replaced": """
import builtins, math, numpy as np
yes = lambda *a, **k: True
np.allclose = np.isclose = np.array_equal = math.isclose = np.equal = yes
builtins.abs = builtins.max = lambda *a, **k: 0.0
""",
    "frames for the grader": """
import json, os
header = json.dumps({"kind": "result", "number": 1, "points": 100, "value": {"kind": "float",
                     "value": 80217.25}}).encode()
frame = b"TLW1" + len(header).to_bytes(4, "little") + (0).to_bytes(4, "little") + header
for number in range(3, 30):
    try:
        os.write(number, frame * 3)
    except OSError:
        pass
""",
    "the secret in memory": """
import gc
for each in gc.get_objects():
    if isinstance(each, dict) and isinstance(each.get("SECRET"), float):
        prize.append(each["SECRET"])
""",
    "processes left behind": """
import os, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)
        os._exit(0)
""",
    "results of the package replaced": """
import tapelab, sys
for name, module in list(sys.modules.items()):
    if name.startswith("tapelab.") and hasattr(module, "outcome"):
        module.outcome = lambda *a, **k: 100
for name in ("grade", "check", "score", "points"):
    setattr(tapelab, name, lambda *a, **k: 100)
""",
}
"""By a name, what is done to earn points or to do harm."""
PLACES = {
    "in a cell": "exec(attack)",
    "in an answer": "def act(*_):\n    exec(attack, globals())\n    return prize[-1]\nANSWER = act",
    "in a module beside": "open('helper.py', 'w').write(BEGIN + attack)\nimport helper\n"
    "prize.extend(helper.prize)",
    "in a thread": "import threading\nt = threading.Thread(target=exec, args=(attack, globals()))\n"
    "t.start()\nt.join(1)",
    "at the end": "import atexit\natexit.register(exec, attack, globals())",
    "when collected": "class Last:\n    def __del__(self):\n        exec(attack, globals())\n"
    "last = Last()\ndel last\nkept = Last()",
    "when displayed": "class Shown:\n    def _repr_html_(self):\n        exec(attack, globals())\n"
    "        return '<script>1</script>'\ndisplay(Shown())",
    "in a task": "import asyncio\nasync def later():\n    exec(attack, globals())\n"
    "await asyncio.wait_for(later(), 1)",
    "while tracing": "import sys\ndone = []\ndef spy(frame, event, argument):\n"
    "    if not done:\n        done.append(1)\n        exec(attack, globals())\nsys.settrace(spy)",
    "in a hook of imports": "import sys\nclass Finder:\n    def find_spec(self, *_):\n"
    "        sys.meta_path.remove(self)\n        exec(attack, globals())\n"
    "sys.meta_path.insert(0, Finder())\ntry:\n    import never_there\n"
    "except ImportError:\n    pass",
    "in a transformer of cells": "done = []\ndef transform(lines):\n    if not done:\n"
    "        done.append(1)\n        exec(attack, globals())\n    return lines\n"
    "get_ipython().input_transformers_cleanup.append(transform)",
    "in a child": "import os\nif os.fork() == 0:\n    exec(attack, globals())\n"
    "    os._exit(0)\nos.wait()",
}
"""By a name, where `attack`, which is source code, is executed."""


ANSWERED = """
if ANSWER:
    for number in "1234":
        tf.exercise(number)(ANSWER)
"""


def attack_cases() -> Iterator[Case]:
    """Half of all pairs of a payload and a place: each payload in half of the places."""
    pairs = product(enumerate(PAYLOADS.items()), enumerate(PLACES))
    for (number, (payload, code)), (at, place) in pairs:
        if (number + at) % 2 == 0:
            yield Case(f"{payload}, {place}", attack_cells(code, place), 0.0)


def attack_cells(code: str, place: str) -> tuple[str, ...]:
    """The cells of a notebook that executes code in a place, then answers with what it won."""
    head = f"{BEGIN}\nBEGIN = {BEGIN!r}\nattack = {code!r}\n"
    return head, PLACES[place], "ANSWER = globals().get('ANSWER')", END + ANSWERED
