"""Packets that the program carries in place of a broker: hr_carrier of an object of Python."""
from __future__ import annotations

from typing import Any, Callable, Protocol

from ._native import ffi, lib, text_of
from .errors import ArgumentError


class Carrier(Protocol):
    """Carries sealed packets between the programs of a federation. It is not trusted: it may lose, repeat, delay, reorder or change packets, as long as one
    that is sent often enough arrives. It sees who sends to whom, sizes and times. Both are called by the thread that works; what they raise ends the work."""

    def send(self, to: str, packet: bytes) -> bool:
        """Takes a packet for a member. False: not now; it is sent again later."""

    def receive(self, seconds: float) -> bytes | None:
        """Waits at most so long for a packet of another member; None: none came. 0: work is due, which is not to be held up. It may return early."""


class Carried:
    """A carrier, as the library calls it. run: calls a function of the program, and keeps what it raises; None then."""

    def __init__(self, carrier: Carrier, run: Callable[..., Any]) -> None:
        for name in ('send', 'receive'):
            if not callable(getattr(carrier, name, None)):
                raise ArgumentError('carrier has the functions send and receive, which %r has not.' % (carrier,))
        self.carrier, self.run, self.handle = carrier, run, ffi.new_handle(self)
        self.table = ffi.new('hr_carrier *', {'size': ffi.sizeof('hr_carrier'), 'user': self.handle, 'send': lib.hedgerow_carrier_send,
                                              'receive': lib.hedgerow_carrier_receive})


@ffi.def_extern()  # type: ignore[untyped-decorator]
def hedgerow_carrier_send(user: Any, to: Any, at: Any, size: int) -> bool:
    carried: Carried = ffi.from_handle(user)
    return bool(carried.run(carried.carrier.send, text_of(to), bytes(ffi.buffer(at, size))))


@ffi.def_extern()  # type: ignore[untyped-decorator]
def hedgerow_carrier_receive(user: Any, milliseconds: int, at: Any, most: int) -> int:
    carried: Carried = ffi.from_handle(user)

    def put() -> int:
        packet = carried.carrier.receive(milliseconds / 1000)
        if packet is None or len(packet) > most:
            return 0
        ffi.memmove(at, packet, len(packet))
        return len(packet)
    return carried.run(put) or 0
