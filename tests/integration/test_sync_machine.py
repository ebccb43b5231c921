import os

import pytest
from hypothesis.stateful import run_state_machine_as_test
from sync_machine import EXAMPLES, SyncMachine, chosen_settings


@pytest.mark.timeout(0 if EXAMPLES in os.environ else 900)
def test_whatever_happens_nothing_is_lost_and_the_mirror_becomes_equal(caplog):
    # A failing sequence is repeated hundreds of times until it is short: nobody reads that log.
    caplog.set_level("CRITICAL")
    run_state_machine_as_test(SyncMachine, settings=chosen_settings())
