"""How far one worker of a crawl is: its stages, and every transition between them. The scheduler reports events and asks for the stage."""

from __future__ import annotations

from collections.abc import Mapping, Set
from enum import Enum, auto


class Stage(Enum):
    """What a worker is doing."""

    WORKING = auto()  # leases can be had, as far as is known
    SHORT = auto()  # the table had fewer leases than were wanted
    WAITING = auto()  # nothing to lease, but other workers may find more
    EXHAUSTED = auto()  # nothing to lease, and nobody else works
    RETRYING = auto()  # the pause before pages that could not be read are asked again
    PAUSED = auto()  # nothing but refusals and failures came back: the shop is being checked
    SETTLED = auto()  # nothing is left to ask again: the worker may close
    CLOSING = auto()
    FAILED = auto()  # the database is gone or broken


class Event(Enum):
    """What happens to a worker."""

    LEASED = auto()  # as many requests as were wanted
    LEASED_FEW = auto()
    OTHERS_WORK = auto()  # no leases; other workers have some
    NOTHING_LEFT = auto()  # no leases for anybody
    NEW_REQUEST = auto()
    LOOK_AGAIN = auto()
    RETRY = auto()
    ASKED_AGAIN = auto()
    NOTHING_TO_RETRY = auto()
    ALL_REFUSED = auto()
    SHOP_ANSWERS = auto()
    CLOSE = auto()
    FAIL = auto()


_LEASING = frozenset({Stage.WORKING, Stage.SHORT, Stage.WAITING, Stage.EXHAUSTED})
_DRAINED = frozenset({Stage.WAITING, Stage.EXHAUSTED, Stage.RETRYING, Stage.SETTLED})
_OVER = frozenset({Stage.CLOSING, Stage.FAILED})

# event -> the stages that it ends, and the one that follows; any other stage goes on
_TRANSITIONS: Mapping[Event, tuple[Set[Stage], Stage]] = {
    Event.LEASED: (_LEASING | {Stage.SETTLED}, Stage.WORKING),
    Event.LEASED_FEW: (_LEASING | {Stage.SETTLED}, Stage.SHORT),
    Event.OTHERS_WORK: (_LEASING, Stage.WAITING),
    Event.NOTHING_LEFT: (_LEASING, Stage.EXHAUSTED),
    Event.NEW_REQUEST: ({Stage.WAITING, Stage.EXHAUSTED, Stage.SETTLED}, Stage.SHORT),
    Event.LOOK_AGAIN: ({Stage.WAITING, Stage.EXHAUSTED}, Stage.WORKING),
    Event.RETRY: ({Stage.EXHAUSTED}, Stage.RETRYING),
    Event.ASKED_AGAIN: ({Stage.RETRYING}, Stage.WORKING),
    Event.NOTHING_TO_RETRY: ({Stage.RETRYING}, Stage.SETTLED),
    Event.ALL_REFUSED: (_LEASING, Stage.PAUSED),
    Event.SHOP_ANSWERS: ({Stage.PAUSED}, Stage.WORKING),
    Event.CLOSE: (frozenset(Stage) - _OVER, Stage.CLOSING),
    Event.FAIL: (frozenset(Stage) - {Stage.FAILED}, Stage.FAILED),
}


class WorkerStage:
    """The stage of one worker."""

    def __init__(self) -> None:
        self.now = Stage.WORKING

    def on(self, event: Event) -> bool:
        """Move on as the event demands; whether that changed the stage."""
        ended, following = _TRANSITIONS[event]
        if self.now not in ended or self.now is following:
            return False
        self.now = following
        return True

    @property
    def is_drained(self) -> bool:
        """Whether it is useless to ask for leases at once."""
        return self.now in _DRAINED

    @property
    def is_over(self) -> bool:
        """Whether the worker takes no more leases."""
        return self.now in _OVER
