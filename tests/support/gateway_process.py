"""The gateway over stdio, with leases as short as a test's patience, and a name of its own.

python gateway_process.py SECONDS [NAME]
"""

import asyncio
import os
import sys
from datetime import timedelta

from personal_context.cli.opening import prepared_settings
from personal_context.runtime import build_runtime
from personal_context.server.listening import HttpOptions
from personal_context.server.serving import serve
from personal_context.sync.lease import LeaseTimes


def main(seconds: float, name: str | None = None) -> None:
    runtime = build_runtime(
        prepared_settings(),
        owner=name,
        lease_times=LeaseTimes(timedelta(seconds=seconds), timedelta(seconds=seconds / 4)),
    )

    async def serving() -> None:
        await serve(runtime, "stdio", HttpOptions("127.0.0.1", 0, None))
        os._exit(0)  # as the program does

    asyncio.run(serving())


if __name__ == "__main__":
    main(float(sys.argv[1]), *sys.argv[2:])
