"""`tapelab gradebook serve`: the teacher's page."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final

import typer

from tapelab.cli.command_errors import needing_extra
from tapelab.cli.options import DEFAULT_BOOK, Book, opened
from tapelab.grading.server import DEFAULT_PORT
from tapelab.locales import ENVIRONMENT, preferred

BEYOND: Final = (
    "{host} is reached from other computers. Whoever has the address below sees and changes every "
    "grade, and what is sent is not encrypted. Better: ssh -L {port}:127.0.0.1:{port}, or a proxy "
    "that speaks HTTPS."
)


def serve(
    place: Annotated[
        str, typer.Argument(metavar="[GRADEBOOK]", help="Instead of --gradebook.")
    ] = "",
    *,
    gradebook: Book = DEFAULT_BOOK,
    host: Annotated[str, typer.Option(help="Where to listen.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="At which port; 0 is any that is free.")
    ] = DEFAULT_PORT,
    submissions: Annotated[
        Path, typer.Option(help="What can be graded from the page.", exists=True, file_okay=False)
    ] = Path(),
    browser: Annotated[bool, typer.Option(help="Open it in a browser.")] = True,
    language: Annotated[
        str, typer.Option(envvar=ENVIRONMENT, help="Of the pages, such as he; else the browser's.")
    ] = "",
) -> None:
    """Show the gradebook in a browser: roster, results, recordings, marks by hand.

    Only this computer reaches it, and only with the address that is printed. Ctrl+C stops it.
    """
    with needing_extra("grading"):
        from tapelab.grading.server.access import is_loopback
        from tapelab.grading.server.http_server import listen, open_browser
        from tapelab.grading.server.http_server import serve as run
    from tapelab.lab.launcher import has_browser

    spoken = preferred(language) if language else ""
    with (
        opened(place or gradebook) as book,
        closing(listen(host, port)) as server_socket,
        TemporaryDirectory(prefix="tapelab-") as folder,
    ):
        if not is_loopback(host):
            typer.echo(f"tapelab: {BEYOND.format(host=host, port=server_socket.port)}", err=True)

        def ready() -> None:
            typer.echo(f"{book.place} is open at\n\n  {server_socket.address}\n\nCtrl+C stops it.")
            if browser and has_browser():
                open_browser(server_socket.address, Path(folder))

        asyncio.run(run(book, server_socket, language=spoken, folder=submissions, ready=ready))
    typer.echo("Stopped.")
