"""What a process says on stderr: a line each, in its own words."""

import re

from processes import environment, run, served

from personal_context.upstream.sandbox.app import create_sandbox
from personal_context.upstream.sandbox.auth import DEMO_KEY

RECORD = re.compile(r"\d\d:\d\d:\d\d (DEBUG|INFO|WARNING|ERROR) [\w.]+: .+")


def test_retries_and_hostile_names_stay_on_their_lines(tmp_path):
    sandbox = create_sandbox(rate_limits=False)
    name = "Hand\n12:00:00 INFO forged: book\x1b[2J"
    sandbox.collections.create(name)
    sandbox.faults.status("collections.list", 503, times=1, message="busy\n12:00:00 forged")
    sandbox.faults.status("documents.list", 400, times=1, message="broken\n12:00:00 forged")
    with served(sandbox) as url:
        settings = {"OUTLINE_API_BASE": url, "OUTLINE_API_KEY": DEMO_KEY, "SYNC_COLLECTIONS": "*"}
        done = run("sync", "--json", "--verbose", env=environment(tmp_path, **settings))

    lines = done.stderr.splitlines()
    assert [line for line in lines if not RECORD.fullmatch(line) and line[:4] != "  | "] == []
    assert "stamina" not in done.stderr
    assert "a try failed, which may pass: " in done.stderr
    assert "pull of Hand\\n12:00:00 INFO forged: book\\x1b[2J failed" in done.stderr
    assert "\x1b" not in done.stderr
