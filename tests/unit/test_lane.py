"""Queries go before passages, and passages get on all the same."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from personal_context.domain.errors import EmbeddingUnavailable
from personal_context.embeddings.lane import Lane


class Run:
    """A computation that runs until it is stopped or let go."""

    def __init__(self):
        self._stopped = False
        self.begun, self.end = threading.Event(), threading.Event()

    @property
    def terminate(self):
        return self._stopped

    @terminate.setter
    def terminate(self, value):
        self._stopped = value
        self.end.set()

    def compute(self):
        self.begun.set()
        assert self.end.wait(30)
        if self._stopped:
            raise EmbeddingUnavailable("stopped")
        return "a vector"


@pytest.fixture
def worker():
    with ThreadPoolExecutor(1) as worker:
        yield worker


def passage(lane, runs):
    left = iter(runs)
    return lambda: lane.passage(lambda: next(left), Run.compute)


def test_a_passage_that_nobody_disturbs_is_computed_once(worker):
    run = Run()
    made = worker.submit(passage(Lane(), [run]))
    run.end.set()

    assert made.result(30) == "a vector"


def test_a_query_stops_a_passage_which_is_computed_again_after_it(worker):
    lane, first, second = Lane(), Run(), Run()
    made = worker.submit(passage(lane, [first, second]))
    first.begun.wait(30)
    with lane.query():
        assert first.terminate
    second.begun.wait(30)
    second.end.set()

    assert made.result(30) == "a vector"


def test_a_passage_makes_way_once(worker):
    lane, first, second = Lane(), Run(), Run()
    made = worker.submit(passage(lane, [first, second]))
    first.begun.wait(30)
    with lane.query():
        pass
    second.begun.wait(30)
    with lane.query():
        assert not second.terminate
    second.end.set()

    assert made.result(30) == "a vector"


def test_a_passage_waits_for_a_query_but_not_for_ever(worker):
    lane, run = Lane(), Run()
    run.end.set()
    with lane.query():
        assert worker.submit(passage(lane, [run])).result(30) == "a vector"


def test_queries_at_once_are_waited_for_until_the_last(worker):
    lane, run = Lane(), Run()
    run.end.set()
    with lane.query(), lane.query():
        made = worker.submit(passage(lane, [run]))
    assert made.result(30) == "a vector"


def test_what_fails_by_itself_is_not_tried_again(worker):
    class Broken(Run):
        def compute(self):
            raise EmbeddingUnavailable("no memory")

    made = worker.submit(lambda: Lane().passage(Broken, Broken.compute))

    with pytest.raises(EmbeddingUnavailable, match="no memory"):
        made.result(30)
