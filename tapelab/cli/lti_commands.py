"""`tapelab gradebook publish` and `lti-key`: scores to a learning platform by LTI 1.3."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tapelab.cli.command_errors import Exit, handling_files
from tapelab.cli.options import DEFAULT_BOOK, Assigned, Book, opened

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
        from tapelab.grading.formats.lti_grades import platform_service, publish_scores, scores

        service, lineitems = platform_service(platform, key)
        listed, to_send = book.assignment(assignment), scores(book, assignment)
        outcomes = list(publish_scores(listed, to_send, service, lineitems, column))
    for score, why in outcomes:
        if why:
            typer.echo(f"tapelab: {score.student}: {why}", err=True)
    arrived = sum(not why for _, why in outcomes)
    typer.echo(f"{arrived} of {len(outcomes)} scores arrived.")
    raise typer.Exit(Exit.FINE if arrived == len(outcomes) else Exit.WRONG)
