"""What the scripted stand-in for a language model says: a handful of answers, picked by the question.

The answers are English, because the voice is; questions may be Chinese too. Knows no HTTP and no format of an
API. Pure; any thread may call it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

Role = Literal["system", "developer", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation, its text in one piece."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Topic:
    """An answer, and the questions it belongs to: those in which every pattern is found.

    Several short patterns rather than one with gaps: to look for that takes the cube of a question's length.
    """

    asked: tuple[re.Pattern[str], ...]
    answer: str

    def is_asked(self, question: str) -> bool:
        """Tell whether this answers the question."""
        return all(pattern.search(question) for pattern in self.asked)


def _topic(asked: Sequence[str], *paragraphs: str) -> Topic:
    return Topic(tuple(re.compile(part, re.IGNORECASE) for part in asked), "\n\n".join(paragraphs))


TOPICS: Final[Sequence[Topic]] = (
    _topic(
        [r"\b(?:train|oxford|ticket|cost|price)s?\b|火车|车票|多少钱"],
        "A single to Oxford is £12.50 and a return £19.80, so coming back costs you only £7.30. The next "
        "fast train leaves at 7:45 from platform 3, and takes 52 minutes; the slow one, at 8:02, takes 1.5 "
        "times as long.",
        "These are the numbers of a script, though. Ask the railway before you travel.",
    ),
    _topic(
        [r"\b(?:pancake|recipe|cook|bak)(?:e|s|es|ing)?\b|煎饼|菜谱|怎么做"],
        "For four people, you need:",
        "1. 250 grams of flour, and a pinch of salt\n"
        "2. half a litre of milk\n"
        "3. 3 eggs\n"
        "4. 2.5 tablespoons of melted butter",
        "Stir the flour into the milk until there are no lumps left, then add the eggs and the butter, and "
        "let it rest for 20 minutes. Each pancake takes about 1.5 minutes on either side. The first one "
        "never turns out well, so eat it while nobody is looking.",
    ),
    _topic(
        [r"\b(?:story|tale|tell me something)\b|故事"],
        "In a town by the sea, there was once a clock that said the time aloud. It had a fine voice, and it "
        "was never wrong, but it had one fault: it could not stop in the middle. At noon it said twelve "
        "long sentences, one after the other, and whoever wanted to ask it something had to wait until it "
        "was done.",
        "One day a girl came by who had no time to wait. “Begin at the beginning,” she had read in a book, "
        "“and go on till you come to the end: then stop.” She thought about that, and said to the clock: "
        "“Whoever is listening knows better than you when the end has come.”",
        "The clock was silent, for the first time in 140 years. Then it said, quite softly, “It is ten to "
        "three. Shall I go on?” And since that day people come from far away, not to hear what time it is, "
        "but to interrupt it.",
    ),
    _topic(
        [
            rf"\b(?:{words})\b|怎么工作|边写边"
            for words in ("how|why", "you|it|this", "speak|talk|work|written|writing|fast")
        ],
        "I do not wait for the end. The text reaches me a few letters at a time, and as soon as there is a "
        "clause worth saying, I say it; while you hear that one, the next is being written. Writing is "
        "faster than speaking, so after a moment there is always something in hand.",
        "And if you stop me, the page knows which word you heard last. Only what was heard stays in the "
        "conversation, so I never believe that I have told you something you did not hear. Try it: press "
        "Escape, then tell me to go on.",
    ),
    _topic(
        [r"\b(?:who|what) are you\b|\byour name\b|\b(?:hello|hi|hey)\b|你是谁|你好|你叫什么"],
        "Hello! I am a script: a handful of answers, sent one token at a time, the way a language model "
        "sends them. Put a real model in my place, and nothing else on this page has to change.",
    ),
)
"""Tried in this order; the first that is asked for answers."""

UNKNOWN: Final = (
    "I am only a script, so that is one of the many things I cannot answer. Ask me who I am, how I can "
    "speak while the text is still being written, what the train to Oxford costs, how to make pancakes, or "
    "for a story."
)
"""The answer to every other question."""

FINISHED: Final = "That was all: you have heard it to the end."
"""The answer to a wish to hear more when there is no more."""

_GO_ON: Final = re.compile(
    r"\W*(?:(?:and|please|yes|okay|ok)\W+)*"
    r"(?:(?:go on|continue|carry on|keep going|go ahead)\b|请?继续|接着说).*",
    re.IGNORECASE | re.DOTALL,
)
_TOKEN: Final = re.compile(r"\s*(?:[^\W\d_]{1,7}|\d{1,3}|[^\w\s]|_)|\s+")


def answer(conversation: Sequence[Message]) -> str:
    """Return what is said next.

    A wish to go on is met with the rest of the answer that was broken off: what follows the assistant's
    messages since the question. It works only if they were cut to what was heard, and so shows that.
    """
    told: list[str] = []
    asked_on = False
    for message in reversed(conversation):
        if message.role == "assistant":
            told.append(message.text)
        elif message.role == "user" and not _GO_ON.fullmatch(message.text):
            whole = _about(message.text)
            return _rest(whole, "".join(reversed(told))) if asked_on else whole
        elif message.role == "user":
            asked_on = True
    return UNKNOWN


def _about(question: str) -> str:
    return next((topic.answer for topic in TOPICS if topic.is_asked(question)), UNKNOWN)


def _rest(whole: str, told: str) -> str:
    return (whole.removeprefix(told) if whole.startswith(told) else "") or FINISHED


def tokens(text: str) -> list[str]:
    """Cut `text` as a language model's tokenizer would: pieces of words, digits apart from their points.

    The pieces joined are the text.
    """
    return _TOKEN.findall(text)
