"""Agents write through a gateway that is killed again and again, while people write in the wiki.

The wiki is `personal-context sandbox` in a process of its own, or a real Outline, which gets
collections of its own that are deleted in the end, and no faults. Three agents add notes and change
notes and pages over REST, two people write into the same documents over Outline's API, faults are
ordered for requests that write, and one gateway after the other is killed with SIGKILL. Then all
becomes quiet: what is still to be added is added, a person ends each conflict by keeping both
texts, and everything has to arrive.
"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from common import ROOT, parser, show_table

sys.path.insert(0, str(ROOT / "tests/support"))

from drill import Plan
from push_drill import PushDrill, PushVerdict


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--adds", type=int, default=500, help="notes that agents add")
    arguments.add_argument("--kills", type=int, default=30, help="gateways that are killed")
    arguments.add_argument("--minutes", type=float, default=5, help="that gateways live, together")
    arguments.add_argument("--docs", type=int, default=60, help="pages at first")
    arguments.add_argument("--seed", type=int, default=1, help="repeats the decisions of a run")
    arguments.add_argument(
        "--rate-limits", action="store_true", help="of Outline: 25 creates a minute, in all"
    )
    arguments.add_argument("--keep", type=Path, help="a folder that keeps store and logs")
    arguments.add_argument("--outline", help="address of a real Outline, in place of a stand-in")
    arguments.add_argument("--key", help="for it; the key of somebody who may do everything")
    options = arguments.parse_args()
    if (options.outline is None) is not (options.key is None):
        arguments.error("--outline needs --key, and the other way round")
    plan = Plan(
        options.docs,
        options.minutes * 60,
        options.kills,
        options.seed,
        pause=(0.2, 4.0, 4.0),
        patience=300 + 3 * options.adds,  # a gateway creates 22 a minute
    )
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        real = (options.outline, options.key) if options.outline else None
        drill = PushDrill(
            folder, plan, adds=options.adds, rate_limits=options.rate_limits, outline=real
        )
        verdict = asyncio.run(drill.run())
        complaints = drill.complaints()
    figures = figures_of(drill, verdict)
    show_table(
        f"{options.adds} adds, {options.minutes:g} minutes, seed {options.seed}",
        ("what", "figure"),
        [*figures.items(), ("documents in the end", verdict.judged), *complaints.items()],
    )
    for what in ("twins", "missing", "overwritten", "lost", "ghost", "stale", "problems"):
        for one in getattr(verdict, what)[:20]:
            print(f"  {what}: {one}")
    if options.json:
        print(json.dumps(figures))
    if not verdict.good or drill.kills != options.kills:
        sys.exit(1)


def figures_of(drill: PushDrill, verdict: PushVerdict) -> dict[str, object]:
    return {
        "twins": len(verdict.twins),
        "lost": len(verdict.missing) + len(verdict.lost),
        "overwritten": len(verdict.overwritten),
        "kills": drill.kills,
        "faults": drill.faults,
        "adds": len(drill.accepted),
        "changes": drill.changed,
        "words_of_people": len(drill.said),
        "conflicts": drill.conflicts,
        "ghost": len(verdict.ghost),
        "stale": len(verdict.stale),
        "integrity": verdict.integrity,
        "requests": drill.requests,
        "converge_seconds": round(drill.converge_seconds, 1),
    }


if __name__ == "__main__":
    main()
