"""`export` and `import`: all contents as Markdown files in a folder."""

import asyncio
import itertools
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from rich.console import Group
from rich.text import Text

from personal_context.cli.common import PLAIN, Common
from personal_context.cli.opening import opened_runtime
from personal_context.cli.output import FAILED, progress_bars
from personal_context.domain.errors import InvalidInput, PersonalContextError
from personal_context.domain.text import one_line
from personal_context.web.humanize import plural

if TYPE_CHECKING:
    from rich.console import RenderableType

    from personal_context.content.exchange import Exchange, Imported

MOST_BYTES = 20_000_000
"""Of a file: more than any text that can be stored."""

Flag = Annotated[bool, Parameter(negative="")]


async def export(folder: Path, /, *, force: Flag = False, common: Common = PLAIN) -> None:
    """Write every document as a Markdown file, with front matter, into a folder.

    `import` brings them back as they were: ids, tags, metadata, texts.

    Parameters
    ----------
    folder
        A new or empty folder.
    force
        Write into a folder that holds something; files of the same names are replaced.
    """
    await asyncio.to_thread(_prepare, folder, force=force)
    number = 0
    async with opened_runtime(verbose=common.verbose) as runtime:
        with progress_bars(shown=not common.json) as progress:
            async for one in runtime.exchange.export():
                await asyncio.to_thread(_write, folder / one.path, one.text)
                number = one.number
                progress("Exporting", one.number, one.total)
    told = f"{plural(number, 'document')} written to {folder}."
    common.show({"folder": str(folder), "exported": number}, lambda: Text(told))


async def import_(folder: Path, /, *, common: Common = PLAIN) -> int:
    """Take in a folder of Markdown files: an export, or anybody's notes.

    A file of an export brings its document back, or changes it where the file differs; Outline is
    told of changes. What is new stays here until `outbox push --all-local` offers it to Outline.

    Parameters
    ----------
    folder
        It is read with all folders below, but for those whose name begins with a dot.
    """
    files = await asyncio.to_thread(_files, folder)
    async with opened_runtime(verbose=common.verbose) as runtime:
        with progress_bars(shown=not common.json) as progress:
            taking = _Taking(runtime.exchange, folder)
            for number, file in enumerate(files, start=1):
                await taking.take(file)
                progress("Importing", number, len(files))
        await runtime.push_pending()
        await runtime.embed_backlog()
    common.show(taking.facts(), taking.told)
    return FAILED if taking.problems else 0


class _Taking:
    """What becomes of the files of a folder."""

    def __init__(self, exchange: "Exchange", folder: Path) -> None:
        self._exchange = exchange
        self._folder = folder
        self._counts: Counter[str] = Counter()
        self._seen: dict[str, str] = {}
        self.problems: dict[str, str] = {}

    async def take(self, file: Path) -> None:
        name = file.relative_to(self._folder).as_posix()
        try:
            text = await asyncio.to_thread(_read, file)
            taken = await self._exchange.bring_in(text, name=file.stem)
        except PersonalContextError as error:
            self.problems[name] = one_line(error)
            return
        self._counts[taken.outcome] += 1
        self._note(name, taken)

    def _note(self, name: str, taken: "Imported") -> None:
        if taken.outcome == "skipped":
            self.problems[name] = taken.why
        elif taken.outcome == "updated" and taken.content_id in self._seen:
            self.problems[name] = f"It has the id of {self._seen[taken.content_id]}, and won."
        self._seen[taken.content_id] = name

    def facts(self) -> dict[str, object]:
        names = ("created", "updated", "unchanged", "skipped")
        return {**{name: self._counts[name] for name in names}, "problems": self.problems}

    def told(self) -> "RenderableType":
        counts = ", ".join(f"{number} {name}" for name, number in self._counts.items())
        lines = [Text(f"{name}: {why}", style="red") for name, why in self.problems.items()]
        return Group(Text(counts or "There is no Markdown file."), *lines)


def _prepare(folder: Path, *, force: bool) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not force and any(folder.iterdir()):
            raise InvalidInput(
                f"{folder} is not empty.", hint="Name another folder, or give --force."
            )
    except OSError as error:
        raise InvalidInput(f"{folder} can't be written to.", cause=str(error)) from None


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))  # line ends stay as they are
    except OSError as error:
        raise InvalidInput(f"{path} can't be written.", cause=str(error)) from None


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise InvalidInput(f"{folder} is not a folder.")
    found = itertools.chain(folder.rglob("*.md"), folder.rglob("*.markdown"))
    return sorted(
        file
        for file in found
        if file.is_file()
        and not any(part.startswith(".") for part in file.relative_to(folder).parts)
    )


def _read(file: Path) -> str:
    try:
        if file.stat().st_size > MOST_BYTES:
            raise InvalidInput(f"{file.name} is too big.", cause=f"Over {MOST_BYTES:,} bytes.")
        return file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InvalidInput(f"Can't read {file.name}.", cause=error.strerror) from None
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{file.name} is not UTF-8.", cause=str(error)) from None
