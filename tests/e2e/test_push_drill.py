"""Both sides write through gateways that are killed: the long one is bench/push_drill.py."""

import os

import pytest
from drill import Plan
from push_drill import PushDrill


@pytest.mark.timeout(240)
@pytest.mark.skipif(os.name != "posix", reason="there is no SIGKILL")
async def test_killed_gateways_lose_and_overwrite_no_words_and_make_no_twins(tmp_path):
    plan = Plan(documents=12, seconds=8, kills=3, seed=3, pause=(0.15, 0.4, 1))
    drill = PushDrill(tmp_path, plan, adds=15)

    verdict = await drill.run()

    assert verdict.good, verdict
    assert drill.kills == 3
    assert len(drill.accepted) >= 15
    assert drill.changed
    assert not drill.complaints()
