"""`tapelab gradebook publish` and `lti-key`: scores to a learning platform by LTI 1.3."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tapelab.cli.command_errors import Exit, handling_files
from tapelab.cli.options import DEFAULT_BOOK, Assigned, Book, opened
from tapelab.errors import Complaint

if TYPE_CHECKING:
    from tapelab.grading.formats.lti_grades import GradeService

KeyFile = Annotated[Path, typer.Option("--key", help="Our private key.", dir_okay=False)]


def lti_key(
    file: Annotated[Path, typer.Argument(help="Where the private key goes.", dir_okay=False)],
) -> None:
    """Make the key that we sign with for a platform; print the public half, which it is given.

    A key that is there is kept, and its public half is printed again.
    """
    with handling_files("lti"):
        from tapelab.grading.formats.lti import OwnKey

        if not file.exists():
            file.touch(mode=0o600)
            file.write_text(OwnKey.generate().pem, encoding="utf-8")
        published = OwnKey(file.read_text("utf-8")).published()
    typer.echo(json.dumps(published, indent=2))


def publish(
    assignment: Assigned,
    *,
    platform: Annotated[
        Path, typer.Option(help="JSON: client_id, token_url and lineitems.", dir_okay=False)
    ],
    key: KeyFile,
    column: Annotated[
        str, typer.Option(metavar="URL", help="The line item; else the assignment has its own.")
    ] = "",
    gradebook: Book = DEFAULT_BOOK,
) -> None:
    """Put what students have for an ASSIGNMENT into a column of a platform that speaks LTI 1.3.

    The platform knows a student by the column `lti` of the roster, else by their login. What was
    published before is replaced. Exit codes: 0 all arrived; 1 some did not; 2 nothing was done.
    """
    with handling_files("lti"), opened(gradebook) as book:
        from tapelab.grading.formats.lti_grades import publish_grades

        service, lineitems = _service(platform, key)
        outcomes = list(publish_grades(book, assignment, service, lineitems, column))
    for student, why in outcomes:
        if why:
            typer.echo(f"tapelab: {student}: {why}", err=True)
    arrived = sum(not why for _, why in outcomes)
    typer.echo(f"{arrived} of {len(outcomes)} scores arrived.")
    raise typer.Exit(Exit.FINE if arrived == len(outcomes) else Exit.WRONG)


def _service(platform: Path, key: Path) -> tuple[GradeService, str]:
    """The gradebook of a platform, and where its columns are listed."""
    from tapelab.grading.formats.lti import OwnKey, Platform
    from tapelab.grading.formats.lti_grades import GradeService

    try:
        config = json.loads(platform.read_text("utf-8"))
        known = Platform(
            config.get("issuer", ""), config["client_id"], config.get("login_url", ""),
            config["token_url"], config.get("keys_url", ""),
        )  # fmt: skip
        return GradeService(known, OwnKey(key.read_text("utf-8"))), config.get("lineitems", "")
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise Complaint(
            f"{platform} does not describe a platform ({error}). It is JSON such as "
            '{"client_id": "…", "token_url": "https://…", "lineitems": "https://…"}'
        ) from error
