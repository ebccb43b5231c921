"""A gateway that is killed while people work: the long one is bench/sync_drill.py."""

import os

import pytest
from drill import Drill, Plan


@pytest.mark.timeout(240)
@pytest.mark.skipif(os.name != "posix", reason="there is no SIGKILL")
async def test_killed_gateways_lose_nothing(tmp_path):
    drill = Drill(tmp_path, Plan(documents=80, seconds=9, kills=3, seed=5, pause=(0.1, 0.5, 1)))

    verdict = await drill.run()

    assert verdict.good, verdict
    assert drill.kills == 3
    assert drill.requests
    assert not drill.complaints()
