"""Find PostgreSQL, or install Debian's where that is allowed, and run a server of one's own."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.chromium import may_install

_DEBIAN = Path("/usr/lib/postgresql")
_UNPRIVILEGED = "nobody"


def find() -> Path | None:
    """Look for the folder of initdb and pg_ctl: on the PATH, then where Debian puts the newest."""
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).parent
    numbered = (folder for folder in _DEBIAN.glob("*/bin") if (folder / "initdb").exists())
    return max(numbered, key=lambda folder: int(folder.parent.name), default=None)


def ensure() -> Path | None:
    """Find it, if need be after installing Debian's as root; None where it cannot be had."""
    found = find()
    if found is None and may_install():
        print("Installing Debian's PostgreSQL for the gradebook tests ...", flush=True)
        # Without a server of the system's own: each test run starts and ends one in a folder.
        quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "postgresql"]
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        subprocess.run(install, check=False, env=quiet)
        found = find()
    return found


@contextmanager
def server(programs: Path) -> Iterator[str]:
    """Run an own server without a network port; give the URL of it, to put a database into."""
    user = _account()
    folder = Path(tempfile.mkdtemp(prefix="pg-"))  # short: the path of a socket is limited
    try:
        if user:
            shutil.chown(folder, user, pwd.getpwnam(user).pw_gid)
        data = folder / "data"
        trust = ["--auth=trust", "--username=teacher", "--encoding=UTF8", "--locale=C", "--no-sync"]
        _run([programs / "initdb", f"--pgdata={data}", *trust], user, folder)
        options = f"-k {folder} -c listen_addresses='' -c fsync=off -c max_connections=50"
        control: list[str | Path] = [programs / "pg_ctl", f"--pgdata={data}", "--wait"]
        _run([*control, f"--log={folder / 'log'}", "-o", options, "start"], user, folder)
        try:
            yield f"postgresql://teacher@/{{database}}?host={folder}"
        finally:
            _run([*control, "--mode=immediate", "stop"], user, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _account() -> str | None:
    """The account to run as: PostgreSQL refuses to be root."""
    return _UNPRIVILEGED if os.geteuid() == 0 else None


def _run(command: list[str | Path], user: str | None, folder: Path) -> None:
    group = pwd.getpwnam(user).pw_gid if user else None
    log = folder / "started"
    # A server that was started keeps what it inherits: a pipe would never end.
    with log.open("ab") as out:
        done = subprocess.run(
            list(map(str, command)),
            user=user, group=group, extra_groups=[] if user else None, cwd=folder,
            stdin=subprocess.DEVNULL, stdout=out, stderr=out, check=False,
        )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed:\n{log.read_text(errors='replace')}")
