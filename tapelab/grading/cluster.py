"""Grading on a cluster: one submission is one task of Dask, and workers may die."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from tapelab.grading.gradebook.errors import GradebookError
from tapelab.grading.task import Done, Task, Work

if TYPE_CHECKING:
    from distributed import Client, Future

PATIENCE: Final = 30.0
"""Seconds in which a scheduler and a first worker have to answer."""
AHEAD: Final = 4
"""Tasks under way for each thread of the cluster: nobody waits, and few are in memory."""
FETCHED: Final = 60
"""A result that is there is on this computer within so many seconds, or was lost on the way."""


class ClusterError(ConnectionError):
    """A cluster does not answer; the sentence says what to try."""


def on_cluster(
    tasks: Iterable[Task], work: Work, address: str, *, patience: float = PATIENCE
) -> Iterator[Done]:
    """Grade on the workers of a Dask scheduler, in the order in which they are done.

    A task whose worker dies is given to another one; one that takes several with it has no result.
    """
    from distributed import Client, as_completed

    with _connected(Client, address, patience) as client:
        further = iter(tasks)
        under_way = as_completed(loop=client.loop)
        known: dict[str, Task] = {}
        try:
            _begin(client, islice(further, AHEAD * _threads(client)), work, known, under_way)
            for future in under_way:
                task = known.pop(future.key)
                try:
                    done = _outcome(future, task)
                except TimeoutError:  # the result died with its worker, and nobody was told
                    future.release()
                    _begin(client, [task], work, known, under_way, again=True)
                    continue
                yield done
                _begin(client, islice(further, 1), work, known, under_way)
        except GradebookError:
            raise  # the tasks come from a gradebook, whose full disk is an OSError, too
        except (CancelledError, OSError) as error:
            raise ClusterError(
                f"The cluster at {address} went away. What was graded is kept. Start it "
                "again, then run the same command; it goes on where it stopped."
            ) from error


def _connected(client: type[Client], address: str, patience: float) -> Client:
    try:
        connected = client(address, timeout=patience, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"No Dask scheduler answers at {address} ({error}). Start one with: dask scheduler"
        ) from error
    try:
        connected.wait_for_workers(1, timeout=patience)
    except TimeoutError as error:
        connected.close()
        raise ClusterError(
            f"The cluster at {address} has no worker. Start one with: dask worker {address} "
            "--nthreads 1"
        ) from error
    return connected


def _threads(client: Client) -> int:
    threads: dict[str, int] = client.nthreads()
    return max(sum(threads.values()), 1)


def _begin(
    client: Client, tasks: Iterable[Task], work: Work, known: dict[str, Task], under_way: Any,
    *, again: bool = False,
) -> None:  # fmt: skip
    for task in tasks:
        # Named after what it makes: asked for twice at once, it is done once.
        key = f"grade-{work.version}-{task.submission.digest}" + "-again" * again
        known[key] = task
        under_way.add(client.submit(work, task, key=key))


def _outcome(future: Future, task: Task) -> Done:
    error = future.exception(timeout=FETCHED)
    if error is None:
        done: Done = future.result(timeout=FETCHED)
        return done
    if isinstance(error, CancelledError):
        raise error
    return Done(task, None, f"The workers that graded it ended ({type(error).__name__}): {error}")
