"""Gather what tapelab says into a template, bring the catalogues up to date, and compile them.

    python -m tools.words           gather, update, compile
    python -m tools.words --check   only tell whether that would change anything

What the Explorer says is gathered from its TypeScript: `say('…')`, `sayMany('…', '…')`, the nouns
of `count(…, '…')`, the names of facts, and the tables whose comment begins with `@said`.

Translations are written in tapelab/locales/<language>/LC_MESSAGES/tapelab.po by hand. A sentence
whose English changes loses its translation, and stands in English until it has a new one.
"""

from __future__ import annotations

import ast
import importlib
import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from babel.messages.catalog import Catalog
from babel.messages.catalog import Message as CatalogMessage
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from tornado.template import Loader

import tapelab
from tapelab.core.op import REGISTRY

PACKAGE: Final = Path(tapelab.__file__).parent
LOCALES: Final = PACKAGE / "locales"
TEMPLATE: Final = LOCALES / "tapelab.pot"
PAGES: Final = PACKAGE / "grading" / "server" / "templates"
LANGUAGES: Final = ("zh_CN", "he")
SAID: Final = frozenset({"complaint", "say", "sentence", "translated"})
METHODS: Final = {"say": "say", "say_many": "say_many", "step": "say"}
"""The methods that say a sentence, and the functions that they stand for."""

FRONT_END: Final = PACKAGE.parent / "extension" / "src"
_WORD: Final = r"'((?:[^'\\\n]|\\.)*)'"
_SAID: Final = re.compile(rf"\bsay\(\s*{_WORD}")
_SAID_MANY: Final = re.compile(rf"\bsayMany\(\s*{_WORD},\s*{_WORD}")
_COUNTED: Final = re.compile(rf"\bcount\([^;]*?, {_WORD}\)")
_FACT: Final = re.compile(r"\['([a-z][a-z ]+)', ")
_TABLE: Final = re.compile(r"@said(.*?)\n *[}\])]", re.DOTALL)

_DECLARES: Final = re.compile(r"^from tapelab\.core\.op import", re.MULTILINE)

Message = str | tuple[str, str]


def templates() -> Iterator[tuple[Message, str]]:
    """Each template that the code says, with the file that says it."""
    for path in sorted(PACKAGE.rglob("*.py")):
        yield from _said_in(path.read_text(encoding="utf-8"), path)
    loader = Loader(str(PAGES))
    for path in sorted(PAGES.glob("*.html")):
        yield from _said_in(loader.load(path.name).code, path)


def _said_in(code: str, path: Path) -> Iterator[tuple[Message, str]]:
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call):
            yield from ((message, _place(path)) for message in _said(node))


def _said(call: ast.Call) -> Iterator[Message]:
    """The template that a call says: `say("…")`, `site.say("…")`, `count(n, "op")`.

    Of the methods, those of `diagnosis.site.Site` count.
    """
    method = getattr(call.func, "attr", "")
    name = getattr(call.func, "id", METHODS.get(method, ""))
    texts = [_text(each) for each in call.args[:2]]
    if name == "count" and len(texts) == 2 and texts[1]:
        yield f"{{count}} {texts[1]}", f"{{count}} {texts[1]}s"
    elif name == "say_many" and all(texts):
        yield texts[0], texts[1]
    elif name in SAID and texts and texts[0]:
        yield texts[0]


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _place(path: Path) -> str:
    return path.relative_to(PACKAGE.parent).as_posix()


def front_end() -> Iterator[tuple[Message, str]]:
    """Each sentence that the Explorer says, with the file that says it."""
    for path in sorted(FRONT_END.rglob("*.ts")):
        code, place = path.read_text(encoding="utf-8"), _place(path)
        tables = " ".join(_TABLE.findall(code))
        single = [*_SAID.findall(code), *re.findall(_WORD, tables)]
        single += _FACT.findall(code) if path.parent.name == "views" else []
        yield from ((_unescaped(each), place) for each in single if re.search("[a-z]", each))
        for one, many in _SAID_MANY.findall(code):
            yield (_unescaped(one), _unescaped(many)), place
        for noun in _COUNTED.findall(code):
            yield (f"{{count}} {noun}", f"{{count}} {noun}s"), place


def _unescaped(text: str) -> str:
    return text.replace("\\'", "'")


def of_ops() -> Iterator[tuple[Message, str]]:
    """What each op is called, what it does, what its rules do or why they do nothing."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if _DECLARES.search(path.read_text(encoding="utf-8")):
            parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
            importlib.import_module(".".join(parts).removesuffix(".__init__"))
    for op in sorted(REGISTRY.values(), key=lambda op: op.name):
        rules = [rule.facts for rule in op.rules.values()]
        for said in (op.title, op.sentence, *(rule.because or rule.sentence for rule in rules)):
            if said:
                yield said, "tapelab/ops"


def gathered() -> Catalog:
    """The template: every message once, with the files that say it."""
    catalog = blank()
    for message, place in (*templates(), *front_end(), *of_ops()):
        catalog.add(message, locations=[(place, 0)])
    return _sorted(catalog)


class Words(Catalog):
    """A catalogue whose header holds no date and no tool, so that files only change in words."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        """What stands in front of the messages."""
        headers = [("Project-Id-Version", "tapelab"), ("MIME-Version", "1.0")]
        headers += [("Content-Type", "text/plain; charset=utf-8")]
        headers += [("Content-Transfer-Encoding", "8bit")]
        if self.locale:
            headers += [("Language", str(self.locale)), ("Plural-Forms", self.plural_forms)]
        return headers


def blank(locale: str | None = None) -> Catalog:
    """A catalogue with nothing in it yet."""
    return Words(locale=locale, charset="utf-8", fuzzy=False, header_comment="")


def _sorted(catalog: Catalog) -> Catalog:
    """The messages in the order of their text, each place once."""
    made = blank(str(catalog.locale) if catalog.locale else None)
    for message in sorted((each for each in catalog if each.id), key=lambda each: _key(each.id)):
        places = sorted({place for place, _ in message.locations})
        made.add(message.id, message.string, locations=[(place, 0) for place in places])
    return made


def _key(message: Any) -> tuple[str, ...]:
    return (message,) if isinstance(message, str) else message


def updated(template: Catalog, language: str) -> Catalog:
    """The catalogue of a language with the template's messages and its own translations."""
    file, old = po_file(language), blank(language)
    if file.exists():
        with file.open("rb") as opened:
            old = read_po(opened, locale=language)
    made = blank(language)
    for message in template:
        if message.id:
            known = old.get(message.id)
            string = known.string if known and known.id == message.id else ""
            made.add(message.id, string, locations=message.locations)
    return made


def po_file(language: str) -> Path:
    """Where the translations of a language are written."""
    return LOCALES / language / "LC_MESSAGES" / "tapelab.po"


def as_po(catalog: Catalog, *, width: int = 96) -> bytes:
    """A catalogue as a file to be translated; with width 0, lines are only broken as in its texts.

    A stale translation comes with the English that it was made of.
    """
    written = io.BytesIO()
    write_po(written, catalog, width=width, include_lineno=False, include_previous=True)
    return written.getvalue().lstrip(b"#\n")


def as_mo(po: bytes, language: str) -> bytes:
    """The compiled form of a translated file; what is not translated is left out, and what only
    the Explorer says, which has a file of its own.
    """
    catalog = read_po(io.BytesIO(po), locale=language)
    compiled = io.BytesIO()
    made = blank(language)
    for message in catalog:
        if message.id and all(_strings(message.string)) and not of_explorer_alone(message):
            made.add(message.id, message.string)
    write_mo(compiled, made)
    return compiled.getvalue()


def as_json(po: bytes, language: str) -> bytes:
    """What the Explorer says in a language: the form of each sentence, or its forms."""
    said: dict[str, Any] = {}
    for message in read_po(io.BytesIO(po), locale=language):
        forms = _strings(message.string)
        if message.id and any(_in_front_end(message)) and all(forms):
            said[_key(message.id)[0]] = forms[0] if len(forms) == 1 else forms
    return json.dumps(said, ensure_ascii=False, indent=0, sort_keys=True).encode() + b"\n"


def of_explorer_alone(message: CatalogMessage) -> bool:
    """Whether only the Explorer says it."""
    return bool(message.locations) and all(_in_front_end(message))


def _in_front_end(message: CatalogMessage) -> Iterator[bool]:
    return (place.startswith("extension/") for place, _ in message.locations)


def _strings(string: Any) -> tuple[str, ...]:
    return (string,) if isinstance(string, str) else string


def files() -> dict[Path, bytes]:
    """Every file that is made, with what it should hold."""
    template = gathered()
    made = {TEMPLATE: as_po(template)}
    for language in LANGUAGES:
        po = as_po(updated(template, language))
        made[po_file(language)] = po
        made[po_file(language).with_suffix(".mo")] = as_mo(po, language)
        made[po_file(language).with_name("explorer.json")] = as_json(po, language)
    return made


def main() -> None:
    """Write the files, or say which of them are out of date."""
    made = files()
    if "--check" in sys.argv[1:]:
        stale = [path for path, held in made.items() if _held(path) != held]
        sys.exit("".join(f"{_place(path)} is out of date.\n" for path in stale) or 0)
    for path, held in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(held)


def _held(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


if __name__ == "__main__":
    main()
