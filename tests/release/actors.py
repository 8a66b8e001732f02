"""Runs a few sequential programs against one store, one store operation at a time, in every order.

A program runs in a thread and waits before each operation that the others could notice; a run is a list of choices of
who goes next and how that operation ends. All runs are tried, depth first, each from the start. A swap may also be on
its way while others go on, and arrive at any later moment, even when its sender is dead.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from outings.release.store import Outcome
from tests.release.doubles import Act, ProcessKilledError, Watch, WatchedObject

Program = Callable[[Any], Any]
# Who goes next, and the name of what befalls it.
Choice = tuple[int, str]
# Who goes next when a swap on its way arrives.
ARRIVAL = -1
# What may befall a swap that is on its way: no reply comes, or its sender dies.
LATE = ("late", "dies, late")


class Actor:
    """One program; `ending` is what it returned or raised."""

    def __init__(self, program: Program, store: Any, *, gates: Callable[[str], bool]) -> None:
        self.waits_at: str | None = None
        self.ending: Any = None
        self._gates = gates
        self._fate: Watch | None = None
        self._turn, self._stopped = threading.Semaphore(0), threading.Semaphore(0)
        self._thread = threading.Thread(target=self._run, args=(program, WatchedObject(store, self._meet)))
        self._thread.start()
        self._stopped.acquire()

    def go(self, fate: Watch | None) -> None:
        """Do the operation that it waits at, and go on to the next or the end."""
        self._fate = fate
        self._turn.release()
        self._stopped.acquire()

    def _meet(self, operation: str, act: Act) -> Any:
        if not self._gates(operation):
            return act()
        self.waits_at = operation
        self._stopped.release()
        self._turn.acquire()
        self.waits_at = None
        return self._fate(operation, act) if self._fate else act()

    def _run(self, program: Program, store: Any) -> None:
        try:
            self.ending = program(store)
        except (Exception, ProcessKilledError) as error:  # noqa: BLE001 - how it ended is what is asked
            self.ending = error
        self._stopped.release()


class Run:
    """One run, as far as `prefix` says; from there on the first of all choices, the others into `others`."""

    def __init__(self, store: Any, programs: Sequence[Program], *, gates: Callable[[str], bool]) -> None:
        self.store = store
        self.choices: list[Choice] = []
        self.others: list[list[Choice]] = []
        self._late: list[Act] = []
        self._actors = [Actor(program, store, gates=gates) for program in programs]

    def finish(
        self, prefix: list[Choice], *, fates: dict[str, Watch], late: Sequence[str], most_faults: int
    ) -> list[Any]:
        while possible := self._list_choices(fates, late=late, most_faults=most_faults):
            if len(self.choices) < len(prefix):
                choice = prefix[len(self.choices)]
            else:
                choice = possible[0]
                self.others += [[*self.choices, other] for other in possible[1:]]
            self.choices.append(choice)
            self._go(choice, fates)
        return [actor.ending for actor in self._actors]

    def _list_choices(self, fates: Iterable[str], *, late: Sequence[str], most_faults: int) -> list[Choice]:
        faults = sum(fate != "" for _, fate in self.choices)
        waiting = [(number, actor.waits_at) for number, actor in enumerate(self._actors) if actor.waits_at]
        possible = [(number, "") for number, _ in waiting]
        if faults < most_faults:
            possible += [(number, fate) for number, _ in waiting for fate in fates]
            possible += [(number, fate) for number, at in waiting if at == "put_if" for fate in late]
        return possible + ([(ARRIVAL, "")] if self._late else [])

    def _go(self, choice: Choice, fates: dict[str, Watch]) -> None:
        def send(_: str, act: Act) -> Any:
            self._late.append(act)
            if choice[1] == "late":
                return Outcome.UNKNOWN
            raise ProcessKilledError

        if choice[0] == ARRIVAL:
            self._late.pop()()
        else:
            self._actors[choice[0]].go(send if choice[1] in LATE else fates.get(choice[1]))


def run_all(
    make: Callable[[], tuple[Any, Sequence[Program]]],
    *,
    gates: Callable[[str], bool],
    fates: dict[str, Watch],
    late: Sequence[str] = (),
    most_faults: int,
) -> Iterator[tuple[list[Choice], Any, list[Any]]]:
    """Every run of the programs that `make` sets up: its choices, the store, and how each program ended.

    At most `most_faults` operations in a run end as one of `fates` or `late` says; every other as it should.
    """
    ahead: list[list[Choice]] = [[]]
    while ahead:
        run = Run(*make(), gates=gates)
        endings = run.finish(ahead.pop(), fates=fates, late=late, most_faults=most_faults)
        ahead += run.others
        yield run.choices, run.store, endings
