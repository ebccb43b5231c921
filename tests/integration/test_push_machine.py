import os

import pytest
from hypothesis.stateful import run_state_machine_as_test
from push_machine import EXAMPLES, PushMachine, chosen_settings


@pytest.mark.timeout(0 if EXAMPLES in os.environ else 900)
def test_whatever_happens_no_words_are_lost_and_nothing_is_in_the_wiki_twice(caplog):
    # A failing sequence is repeated hundreds of times until it is short: nobody reads that log.
    caplog.set_level("CRITICAL")
    run_state_machine_as_test(PushMachine, settings=chosen_settings())
