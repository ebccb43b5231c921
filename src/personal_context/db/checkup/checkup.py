"""Looks at everything that can be wrong in a file, and sets right what loses nothing."""

from collections.abc import Callable, Sequence

from personal_context.db.checkup.check import Check
from personal_context.db.checkup.owners import owner_checks
from personal_context.db.checkup.rows import ROWS
from personal_context.db.checkup.sections import Sections
from personal_context.db.checkup.structure import STRUCTURE
from personal_context.db.checkup.vectors import VECTORS
from personal_context.db.checkup.words import Words
from personal_context.db.connection import Database
from personal_context.domain.errors import StoreError
from personal_context.domain.models import Checked
from personal_context.ports import PrepareText


class Checkup:
    """Finds and mends; the texts themselves are never touched.

    Args:
        database: Open while it is used. Others may read and write meanwhile.
        prepare: Cuts a text into sections.
        is_gone: Tells whether a process that is named is known to have ended.
    """

    def __init__(
        self, database: Database, prepare: PrepareText, is_gone: Callable[[str], bool]
    ) -> None:
        self._database = database
        # What comes later rests on what comes before.
        self._checks: Sequence[Check] = (
            *STRUCTURE,
            *ROWS,
            Sections(prepare),
            VECTORS,
            Words(),
            *owner_checks(is_gone),
        )

    async def look(self) -> Sequence[Checked]:
        """Look at everything; nothing is written."""
        return [await self._look(check) for check in self._checks]

    async def mend(self) -> Sequence[Checked]:
        """Look at everything, set right what is wrong, and look again."""
        return [await self._mend(check) for check in self._checks]

    async def _look(self, check: Check) -> Checked:
        return Checked(check.name, check.well, await self._found(check))

    async def _mend(self, check: Check) -> Checked:
        before = await self._found(check)
        if not before:
            return Checked(check.name, check.well)
        try:
            await check.mend(self._database)
            after = await self._found(check)
        except StoreError as error:
            after = [*before, f"{error.what} {error.cause or ''}".strip()]
        if after:
            return Checked(check.name, check.well, after, hint=check.hint)
        return Checked(check.name, check.well, before, done=check.done)

    async def _found(self, check: Check) -> Sequence[str]:
        try:
            return await self._database.read(check.look)
        except StoreError as error:
            return [f"{error.what} {error.cause or ''}".strip()]
