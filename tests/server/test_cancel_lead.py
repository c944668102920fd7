"""What was cancelled before it was heard is no part of what a client still has to play."""

from __future__ import annotations

from pipeline.audio import CONTENT_RATE_HZ, FRAME_CONTENT_SAMPLES
from server.protocol import Cancel, Cancelled, Done, End, Start, Text
from tests.fakes import FakeClock
from tests.server.test_cancel_rules import OTHER, TEXT, UNPACED, hearing


async def test_the_clock_does_not_play_what_was_cancelled_before_its_turn() -> None:
    clock = FakeClock()
    async with hearing(clock=clock) as client:
        await client.send(UNPACED, Text("a", OTHER), End("a"), Text("b", OTHER), End("b"))
        await client.hear(Done, "b")
        await client.send(Cancel("b", 0), Text("c", TEXT), End("c"))
        await client.hear(Done, "c")
        clock.advance((client.packets("a") * FRAME_CONTENT_SAMPLES + 48_000) / CONTENT_RATE_HZ)
        await client.send(Cancel("c"))
        client.assert_cut(await client.hear(Cancelled, "c"), TEXT, 48_000)


async def test_what_was_cancelled_before_its_turn_is_no_part_of_the_lead() -> None:
    async with hearing(clock=FakeClock()) as client:
        await client.send(Start(lead_ms=3000), Text("a", "Hi there."), End("a"), Text("b", OTHER), End("b"))
        await client.hear(Done, "b")
        await client.send(Cancel("b", 0), Text("c", TEXT), End("c"))
        await client.hear(Cancelled)
        await client.hear_audio("c", 50)
