"""The answer of whoever looks for something in text that is still arriving: more text decides."""

from __future__ import annotations

from enum import Enum
from typing import Final


class Undecided(Enum):
    """What stands here depends on text that has not come."""

    UNDECIDED = "undecided"


UNDECIDED: Final = Undecided.UNDECIDED
