"""What was heard of a session's utterances, and stopping them.

Knows no socket: utterances come from the session's turns, and what is told goes to its delivery. Event loop
only.
"""

from __future__ import annotations

from pipeline.speech import UtteranceEnded
from server import protocol
from server.delivery import Delivery
from server.speaker import Speaker
from server.turns import Turn, Turns


class Playback:
    """One session's playhead, and every way in which an utterance ends before its time."""

    def __init__(self, turns: Turns, speaker: Speaker, delivery: Delivery) -> None:
        self._turns = turns
        self._speaker = speaker
        self._delivery = delivery

    def progress(self, progress: protocol.Progress) -> None:
        """Take the client's word for what it has heard."""
        # The playhead of an utterance that was cancelled meanwhile is no mistake.
        if self._turns.get(progress.utterance) is None and not self._turns.remembers(progress.utterance):
            self.warn_unknown(progress.utterance)
        self._note_playhead(progress.utterance, progress.played)
        self._speaker.set_deadlines()
        self._speaker.wake()

    def catch_up(self, resume: protocol.Resume) -> None:
        """Do what a client would have told that was away: stop what it stopped, then move the playhead.

        Of what is stopped only the one that is playing comes with a playhead; how much of the others was
        heard is the estimate of the moment the client was lost.
        """
        for name in resume.cancel:
            if name != resume.playing and (turn := self._turns.get(name)) is not None:
                self._cancel_turn(turn, None)
        if resume.playing is not None:
            self._note_playhead(resume.playing, resume.played)
            turn = self._turns.get(resume.playing)
            if turn is not None and resume.playing in resume.cancel:
                self._cancel_turn(turn, resume.played)
        self._speaker.set_deadlines()

    def cancel(self, cancel: protocol.Cancel) -> None:
        """Stop one utterance or all, and tell what of them was heard."""
        if cancel.utterance is None:
            self._cancel_all(cancel)
            return
        turn = self._turns.get(cancel.utterance)
        if turn is not None:
            self._cancel_turn(turn, cancel.played)
            self._speaker.set_deadlines()
        elif self._turns.remembers(cancel.utterance):
            self._warn("utterance-ended", "This utterance has ended already.", cancel.utterance)
        else:
            self.warn_unknown(cancel.utterance)

    def fail(self, name: str, error: protocol.ErrorMessage) -> None:
        """End an utterance, opened or not, with an error. What was sent of it may still be heard."""
        turn = self._turns.get(name)
        if turn is None:
            self._turns.remember(name)
        else:
            turn.utterance.cancel()
            self._leave(turn)
        self._delivery.put(error)

    def warn_ended(self, name: str) -> None:
        """Warn, once for each utterance, that what was said to it comes too late."""
        if self._turns.first_warning(name):
            self._warn("utterance-ended", str(UtteranceEnded()), name)

    def warn_unknown(self, name: str) -> None:
        """Warn that there is no such utterance."""
        self._warn("unknown-utterance", "No utterance of this id was opened.", name)

    def _note_playhead(self, name: str, played: int) -> None:
        """Take everything before an utterance as heard, and it, if it is known, up to `played`."""
        turn = self._turns.get(name)
        if turn is None or not turn.sent:
            return
        self._speaker.pacer.progress(turn.start + min(played, turn.sent))
        self._turns.hear_before(turn)
        if turn.samples is not None and played >= turn.samples:
            self._turns.end(turn)

    def _cancel_turn(self, turn: Turn, played: int | None) -> None:
        """Stop one utterance, heard up to `played` or, with None, up to the estimated playhead."""
        position = self._speaker.pacer.played
        cut = turn.utterance.cancel(turn.played_at(position) if played is None else min(played, turn.sent))
        if turn.sent:
            self._take_back(turn, turn.end - max(position, turn.start))
        self._leave(turn)
        self._delivery.forget_audio(turn)
        self._delivery.put(protocol.Cancelled(turn.id, cut.text_spoken, cut.text_remaining))

    def _cancel_all(self, cancel: protocol.Cancel) -> None:
        """Cancel what is not fully heard: all that is done before the playhead is, what is behind is not."""
        name, played = cancel.playing, cancel.played
        if name is not None and self._turns.get(name) is None:
            played = None  # It counts in an utterance that is over, or that never was.
        # Where the one that was playing is over, nothing of what is left was heard.
        behind = name is not None and self._turns.remembers(name)
        playing = None if behind else self._playing(name, played)
        if not behind:
            self._turns.hear_before(playing)
        turns = list(self._turns)
        if not turns:
            self._warn("nothing-to-cancel", "Everything was heard.")
        for turn in turns:
            self._cancel_turn(turn, 0 if behind else played if turn is playing else None)
            behind = behind or turn is playing
        self._speaker.pacer.cancel()

    def _playing(self, name: str | None, played: int | None) -> Turn | None:
        """Return the utterance being heard: the one the client names, else the one the playhead stands in."""
        if name is not None and (named := self._turns.get(name)) is not None:
            return named
        position = self._speaker.pacer.played
        sent = [turn for turn in self._turns if turn.sent]
        for turn in sent:
            if position < turn.end:
                return turn
        # All is played by the estimate. A client that says where it stands knows better.
        return sent[-1] if sent and played is not None else None

    def _take_back(self, turn: Turn, unplayed: int) -> None:
        """Close the gap that the last samples sent of `turn`, which nobody will play, would leave."""
        if unplayed <= 0:
            return
        self._speaker.pacer.take_back(unplayed)
        for later in self._turns:
            if later.sent and later.start > turn.start:
                later.start -= unplayed

    def _leave(self, turn: Turn) -> None:
        """Forget an utterance and all of it that was not sent."""
        self._delivery.take_back(turn)
        self._turns.end(turn)
        self._speaker.wake()

    def _warn(self, code: str, text: str, name: str | None = None) -> None:
        self._delivery.put(protocol.WarningMessage(code, text, name))
