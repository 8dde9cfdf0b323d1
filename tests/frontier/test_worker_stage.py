"""What a worker does next depends on its stage, and the stage on what has happened: shown without a crawl."""

import pytest
from scrapy.settings import default_settings

from scout.frontier.recovery import MAX_UNREAD_RUN
from scout.frontier.worker_stage import Event, Stage, WorkerStage


def stage_after(*events: Event) -> Stage:
    worker = WorkerStage()
    for event in events:
        worker.on(event)
    return worker.now


@pytest.mark.parametrize(
    ("events", "stage"),
    [
        ([Event.LEASED_FEW], Stage.SHORT),
        ([Event.OTHERS_WORK], Stage.WAITING),
        ([Event.OTHERS_WORK, Event.LOOK_AGAIN], Stage.WORKING),
        ([Event.NOTHING_LEFT, Event.NEW_REQUEST], Stage.SHORT),
        ([Event.NOTHING_LEFT, Event.RETRY, Event.ASKED_AGAIN], Stage.WORKING),
        ([Event.NOTHING_LEFT, Event.RETRY, Event.NOTHING_TO_RETRY], Stage.SETTLED),
        ([Event.NOTHING_LEFT, Event.ALL_REFUSED, Event.SHOP_ANSWERS], Stage.WORKING),
    ],
)
def test_a_worker_goes_from_stage_to_stage(events: list[Event], stage: Stage) -> None:
    assert stage_after(*events) is stage


def test_a_round_of_retries_is_begun_only_when_nobody_has_anything_left() -> None:
    assert stage_after(Event.RETRY) is Stage.WORKING
    assert stage_after(Event.OTHERS_WORK, Event.RETRY) is Stage.WAITING


@pytest.mark.parametrize("event", [Event.LEASED, Event.NEW_REQUEST, Event.NOTHING_LEFT, Event.ALL_REFUSED])
def test_the_pause_before_a_round_is_not_cut_short(event: Event) -> None:
    assert stage_after(Event.NOTHING_LEFT, Event.RETRY, event) is Stage.RETRYING


@pytest.mark.parametrize("event", [Event.LEASED, Event.NEW_REQUEST, Event.NOTHING_LEFT, Event.LOOK_AGAIN])
def test_a_worker_whose_shop_refuses_everything_waits_for_the_check(event: Event) -> None:
    assert stage_after(Event.ALL_REFUSED, event) is Stage.PAUSED


def test_work_that_another_worker_found_is_done_before_the_end() -> None:
    settled = [Event.NOTHING_LEFT, Event.RETRY, Event.NOTHING_TO_RETRY]
    assert stage_after(*settled, Event.LEASED_FEW) is Stage.SHORT
    assert stage_after(*settled, Event.NOTHING_LEFT) is Stage.SETTLED


@pytest.mark.parametrize("event", [event for event in Event if event is not Event.FAIL])
def test_nothing_but_a_failure_follows_the_end(event: Event) -> None:
    assert stage_after(Event.CLOSE, event) is Stage.CLOSING
    assert stage_after(Event.FAIL, event) is Stage.FAILED
    assert stage_after(Event.CLOSE, Event.FAIL) is Stage.FAILED


def test_an_event_that_changes_nothing_says_so() -> None:
    worker = WorkerStage()
    assert worker.on(Event.OTHERS_WORK)
    assert not worker.on(Event.OTHERS_WORK)


def test_one_short_outage_does_not_pause_a_crawl_and_a_block_does_soon() -> None:
    """An outage fails no more pages than are asked at once."""
    at_once = default_settings.CONCURRENT_REQUESTS
    assert at_once < MAX_UNREAD_RUN < 2 * at_once
