"""A gateway that is killed again and again, while people change the wiki and requests fail.

The wiki is `personal-context sandbox` in a process of its own, or a real Outline, which gets
collections of its own that are deleted in the end, and no faults. People change it over HTTP,
agents add notes through the gateway, faults are ordered, and one gateway after the other is killed
with SIGKILL. Then all becomes quiet: the last gateway has to make the mirror equal to the wiki.
"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from common import ROOT, parser, show_table

sys.path.insert(0, str(ROOT / "tests/support"))

from drill import Drill, Plan
from drill_verdict import Verdict


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--docs", type=int, default=1000, help="documents at first")
    arguments.add_argument("--minutes", type=float, default=5, help="that gateways live, together")
    arguments.add_argument("--kills", type=int, default=50, help="gateways that are killed")
    arguments.add_argument("--seed", type=int, default=1, help="repeats the decisions of a run")
    arguments.add_argument("--keep", type=Path, help="a folder that keeps store and logs")
    arguments.add_argument("--outline", help="address of a real Outline, in place of a stand-in")
    arguments.add_argument("--key", help="for it; the key of somebody who may do everything")
    options = arguments.parse_args()
    if (options.outline is None) is not (options.key is None):
        arguments.error("--outline needs --key, and the other way round")
    plan = Plan(options.docs, options.minutes * 60, options.kills, options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        real = (options.outline, options.key) if options.outline else None
        drill = Drill(folder, plan, outline=real)
        verdict = asyncio.run(drill.run())
        complaints = drill.complaints()
    figures = figures_of(drill, verdict)
    show_table(
        f"{options.docs} documents, {options.minutes:g} minutes, seed {options.seed}",
        ("what", "figure"),
        [*figures.items(), ("documents in the end", verdict.judged), *complaints.items()],
    )
    for what in ("lost", "ghost", "stale", "duplicated", "problems"):
        for one in getattr(verdict, what)[:20]:
            print(f"  {what}: {one}")
    if options.json:
        print(json.dumps(figures))
    if not verdict.good or drill.kills != options.kills:
        sys.exit(1)


def figures_of(drill: Drill, verdict: Verdict) -> dict[str, object]:
    return {
        "lost": len(verdict.lost),
        "ghost": len(verdict.ghost),
        "stale": len(verdict.stale),
        "duplicated": len(verdict.duplicated),
        "integrity": verdict.integrity,
        "kills": drill.kills,
        "faults": drill.faults,
        "requests": drill.requests,
        "converge_seconds": round(drill.converge_seconds, 1),
    }


if __name__ == "__main__":
    main()
