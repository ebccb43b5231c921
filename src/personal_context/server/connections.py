"""Connections on which nothing is asked don't stay."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol


def patient_protocol(seconds: float) -> type[H11Protocol]:
    """Return uvicorn's protocol with a limit of its own.

    Args:
        seconds: From a connection's beginning, or its last answer, to the last header.
    """
    return type("PatientProtocol", (PatientProtocol,), {"patience": seconds})


class PatientProtocol(H11Protocol):
    """Gives up on a request whose headers don't come to an end.

    By itself, uvicorn waits for them for ever, so that a few thousand connections that send a byte
    now and then would leave no file handle for anybody else.
    """

    patience = 15.0
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begin to wait."""
        super().connection_made(transport)
        self._expect()

    def handle_events(self) -> None:
        """Stop waiting once there is a request."""
        asked = self.cycle
        super().handle_events()
        if self.cycle is not asked:
            self._forget()

    def on_response_complete(self) -> None:
        """Wait for the next one, which may be here already."""
        self._expect()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._forget()
        super().connection_lost(exc)

    def _expect(self) -> None:
        self._forget()
        if not self.transport.is_closing():
            self._deadline = self.loop.call_later(self.patience, self.transport.close)

    def _forget(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
