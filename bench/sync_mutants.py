"""Plants one bug at a time into a copy of the package and lets a state machine hunt it.

The machine is that of tests/integration/test_sync_machine.py, or with `--push` that of
test_push_machine.py, with the settings of every run of the tests, or with `--examples` random ones.
Each mutant of planted.py, or of planted_push.py, has to be caught by a check of the machine.
`--hunt` is the process in which the machine runs against one copy.
"""

import contextlib
import importlib
import io
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from common import ROOT, clean_environment, finish, parser, show_table
from planted import MUTANTS, Mutant
from planted_push import PUSH_MUTANTS

PACKAGE = ROOT / "src" / "personal_context"
NONE = Mutant("none", "__init__.py", "", "")


@dataclass(frozen=True)
class Hunter:
    """A state machine, and what it hunts.

    Attributes:
        module: Where it is in tests/support.
        machine: Its class.
        checks: Ends of the files that hold its checks.
        examples: Environment variable for the number of random sequences.
    """

    module: str
    machine: str
    checks: tuple[str, ...]
    examples: str
    mutants: tuple[Mutant, ...]


HUNTERS = {
    "sync": Hunter(
        "sync_machine",
        "SyncMachine",
        ("sync_machine.py", "sync_checks.py"),
        "PERSONAL_CONTEXT_TEST_SYNC_EXAMPLES",
        MUTANTS,
    ),
    "push": Hunter(
        "push_machine",
        "PushMachine",
        ("push_machine.py", "push_process.py"),
        "PERSONAL_CONTEXT_TEST_PUSH_EXAMPLES",
        PUSH_MUTANTS,
    ),
}


@dataclass
class Hunt:
    """How the hunt for one mutant went.

    Attributes:
        check: The check of the machine that found it; None if all sequences went well.
        said: What that check said, or how the copy broke.
        examples: Sequences tried.
    """

    mutant: Mutant
    seconds: float
    check: str | None
    said: str
    examples: int

    @property
    def caught(self) -> bool:
        return self.check is not None


# --- in a process of its own


def hunt(hunter: Hunter) -> None:
    """Run the machine against the package that is found first; print a line of JSON."""
    sys.path.insert(0, str(ROOT / "tests/support"))
    import stamina
    from hypothesis import Phase, settings
    from hypothesis.stateful import run_state_machine_as_test

    stamina.set_testing(True, attempts=3, cap=True)
    module = importlib.import_module(hunter.module)
    logging.disable(logging.CRITICAL)
    begun = 0

    class Counted(getattr(module, hunter.machine)):
        def __init__(self) -> None:
            nonlocal begun
            begun += 1
            super().__init__()

    # A failing sequence is not made short: only that there is one counts here.
    chosen = settings(
        module.chosen_settings(),
        phases=[Phase.generate],
        print_blob=False,
        report_multiple_bugs=False,
    )
    check, said = None, ""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            run_state_machine_as_test(Counted, settings=chosen)
        except AssertionError as error:
            frames = traceback.extract_tb(error.__traceback__)
            check = [f.name for f in frames if f.filename.endswith(hunter.checks)][-1]
            said = str(error).strip()
        except Exception:  # noqa: BLE001 - whatever it is, it is told
            said = f"broken: {traceback.format_exc()}"
    print(json.dumps({"check": check, "said": said, "examples": begun}))


# --- all of them


def planted(mutant: Mutant, folder: Path) -> None:
    """Copy the package and plant the mutant, or stop if there is no place for it."""
    shutil.copytree(PACKAGE, folder / PACKAGE.name)
    path = folder / PACKAGE.name / mutant.file
    text = path.read_text()
    if mutant.was and text.count(mutant.was) != 1:
        count = text.count(mutant.was)
        sys.exit(f"{mutant.name}: its text occurs {count} times in {mutant.file}, not once.")
    path.write_text(text.replace(mutant.was, mutant.becomes) if mutant.was else text)


def hunted(mutant: Mutant, name_of_hunter: str, examples: int) -> Hunt:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        planted(mutant, folder)
        paths = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
        environment = clean_environment() | {"PYTHONPATH": paths, "TMPDIR": name}
        if examples:
            environment[HUNTERS[name_of_hunter].examples] = str(examples)
        begin = perf_counter()
        done = subprocess.run(
            [sys.executable, __file__, "--hunt", f"--{name_of_hunter}"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = perf_counter() - begin
    if done.returncode:
        return Hunt(mutant, seconds, None, f"broken: {done.stderr}", 0)
    return Hunt(mutant, seconds, **json.loads(done.stdout.splitlines()[-1]))


def chosen(mutants: Sequence[Mutant], names: Sequence[str]) -> list[Mutant]:
    wanted = [m for m in mutants if not names or any(name in m.name for name in names)]
    with tempfile.TemporaryDirectory() as folder:
        for number, mutant in enumerate(wanted):
            planted(mutant, Path(folder, str(number)))  # before an hour is spent on the others
    return wanted


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("names", nargs="*", help="only mutants whose name holds one of these")
    arguments.add_argument("--examples", type=int, default=0, help="random sequences for each")
    arguments.add_argument("--jobs", type=int, default=1, help="hunts at the same time")
    arguments.add_argument("--hunt", action="store_true", help="only run the machine")
    kinds = arguments.add_mutually_exclusive_group()
    kinds.add_argument("--sync", dest="kind", action="store_const", const="sync", default="sync")
    kinds.add_argument("--push", dest="kind", action="store_const", const="push")
    options = arguments.parse_args()
    if options.hunt:
        hunt(HUNTERS[options.kind])
        return

    wanted = chosen(HUNTERS[options.kind].mutants, options.names)
    hunts = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for done in pool.map(
            lambda mutant: hunted(mutant, options.kind, options.examples), [NONE, *wanted]
        ):
            hunts.append(done)
            verdict = f"caught by {done.check}" if done.caught else done.said or "not caught"
            print(f"{done.seconds:6.1f} s  {done.mutant.name}: {verdict.splitlines()[0]}")
    show(hunts, options.kind, as_json=options.json)


def show(hunts: Sequence[Hunt], kind: str, *, as_json: bool) -> None:
    whole, *mutated = hunts
    show_table(
        "Planted bugs",
        ("bug", "in", "caught by", "seconds", "sequences"),
        [(h.mutant.name, h.mutant.file, h.check or "-", h.seconds, h.examples) for h in mutated],
    )
    missed = [h.mutant.name for h in mutated if not h.caught]
    figures = {
        "bench": f"{kind}_mutants",
        "planted": len(mutated),
        "caught": len(mutated) - len(missed),
        "missed": missed,
        "seconds": [round(h.seconds, 1) for h in mutated],
    }
    finish(figures, as_json=as_json)
    if whole.check or whole.said:
        sys.exit(f"Without any bug the machine fails, too: {whole.check} {whole.said}")
    if missed:
        sys.exit(f"Not caught: {', '.join(missed)}")


if __name__ == "__main__":
    main()
