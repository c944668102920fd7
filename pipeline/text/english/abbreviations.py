"""Abbreviations by what stands around them: St., Dr., e.g., vs., Fig. 3, Jan., Ph.D., J. K. Rowling, w/o.

Knows no numbers: "5 km", "No. 5" and "Jan. 5" are read by other rules. Pure; any thread may call it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from pipeline.text.abbreviations import STARTERS
from pipeline.text.english import known_abbreviations as known
from pipeline.text.english.context import REACH, bare, word_after, words_before
from pipeline.text.english.roman import HEADS, NAMES
from pipeline.text.english.shorthand import CHAT, SMALL_CHAT, SPELLED_CHAT
from pipeline.text.english.tables import one_of
from pipeline.text.rules import Rule, Said, said
from pipeline.text.stops import Verdict, judge_stop, stop_at

_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)\Z")
_ADDRESS = re.compile(r"\d+ (?:[NSEW]\.? )?(?:[A-Z][\w'’]* ){1,3}\Z")
_GENERATIONS = ("Z", "X", "Y", "Alpha")


@dataclass(frozen=True, slots=True)
class _Place:
    """An abbreviation in its text: `word` without its dot, `dotted` if it has one, and its neighbours."""

    word: str
    dotted: bool
    before: str
    after: str
    head: str

    @property
    def after_is_name(self) -> bool:
        """A capital follows that does not begin a sentence."""
        return self.after[:1].isupper() and bare(self.after).lower() not in STARTERS

    @property
    def before_is_name(self) -> bool:
        """A capitalized word precedes that a street or a company may be called by."""
        return (
            self.before[:1].isupper() and self.before[-1:].isalnum() and self.before.lower() not in STARTERS
        )

    @property
    def before_is_ordinal(self) -> bool:
        return _ORDINAL.match(self.before) is not None


def _place(match: re.Match[str]) -> _Place:
    text, begin, end = match.string, match.start(), match.end()
    before = words_before(text, begin)
    after = word_after(text, end).lstrip("\"'“‘(")
    head = text[max(0, begin - REACH) : begin]
    return _Place(match["word"], match["dot"] is not None, before[-1] if before else "", after, head)


def _title(place: _Place) -> str | None:
    if place.word == "Gen" and bare(place.after) in _GENERATIONS:
        return None
    sure = place.word in known.PLAIN_TITLES
    if not (place.after[:1].isupper() or (place.dotted and sure)) or not (place.dotted or sure):
        return None
    return known.TITLES[place.word]


def _doctor(place: _Place) -> str | None:
    is_street = place.before_is_name and not place.after_is_name
    if is_street or (_ADDRESS.search(place.head) and place.before_is_name):
        return "drive"
    return "doctor" if place.dotted or place.after[:1].isupper() else None


def _saint(place: _Place) -> str | None:
    name = bare(place.after).removesuffix("'s").removesuffix("’s")
    follows = place.before_is_ordinal or place.before_is_name
    if place.before_is_ordinal or (follows and not (place.after_is_name and _is_saint(name, place))):
        return "street"
    return "saint" if place.after[:1].isupper() else None


def _is_saint(name: str, place: _Place) -> bool:
    """Tell whether the name after "St." is a saint's although a name stands before: "Port St. Lucie"."""
    return name in known.SAINTS and not _ADDRESS.search(place.head)


def _street(place: _Place) -> str | None:
    if place.after[:1].isdigit() and place.word.lower() in known.BEFORE_NUMBERS:
        return _before_number(place)
    if not (place.before_is_ordinal or place.before_is_name):
        return None
    sure = place.word in known.ONLY_STREETS or (place.word == "Pl" and place.dotted)
    if not sure and not _ADDRESS.search(place.head):
        return None
    return known.STREETS[place.word]


def _after_name(place: _Place) -> str | None:
    before = place.before.rstrip(",")
    is_company = place.word == "Co" and before in ("&", "and")
    is_rank = place.word in ("Jr", "Sr") and place.dotted and place.after_is_name
    if not (before[:1].isupper() or is_company or is_rank):
        return None
    if place.word == "Co" and not (place.dotted or is_company):
        return None
    return known.AFTER_NAMES[place.word]


def _state(place: _Place) -> str | None:
    town = place.before
    return known.STATES[place.word] if place.dotted and town[:1].isupper() and town[-1:] == "," else None


def _secretary(place: _Place) -> str | None:
    """Read "Sec. Gen." and "Sec. of State", or else "Sec. 5"."""
    is_name = place.after_is_name and len(bare(place.after)) > 2
    if place.dotted and (place.after == "of" or is_name):
        return "secretary"
    return _before_number(place)


def _before_number(place: _Place) -> str | None:
    word = place.word.lower()
    if not place.dotted and word not in known.PLAIN_BEFORE_NUMBERS:
        return None
    numbered = place.after.lstrip("#(")[:1].isdigit() or re.fullmatch(
        r"(?:[IVXLC]+|[ivxl]+|[A-Z][.-]?\d{0,3})\W*", place.after
    )
    return known.BEFORE_NUMBERS[word] if numbered else None


def _life(place: _Place) -> str | None:
    """Read "(b. 1970)" and "d. 15 April 1865"."""
    is_apart = not place.head.strip() or place.head.rstrip()[-1] in ";,(–-"
    is_year = re.match(r"[12]\d{3}[);,.–-]", place.after)
    return known.LIVES[place.word] if place.dotted and is_apart and is_year else None


def _temperature(place: _Place) -> str | None:
    goes_on = place.after[:1].islower() or place.after[:1].isdigit()
    return "temperature" if place.dotted and goes_on else None


def _century(place: _Place) -> str | None:
    """Read "19th c.", or else "c. 1850"."""
    return "century" if place.dotted and place.before_is_ordinal else _before_number(place)


def _day(place: _Place) -> str | None:
    sure = place.before.lower() in known.BEFORE_DATES
    if place.dotted:
        sure = sure or place.after[:1].islower() or place.after == "&" or place.word in known.ONLY_DAYS
    else:
        sure = place.word in known.ONLY_DAYS or (sure and not place.after_is_name)
    return known.DAYS[place.word] if sure else None


def _month(place: _Place) -> str | None:
    before = place.before.lower()
    sure = before in (known.BEFORE_DATES if place.dotted else known.BEFORE_MONTHS)
    return known.MONTHS[place.word] if sure or (place.dotted and place.after[:1].islower()) else None


def _edition(place: _Place) -> str | None:
    if place.before_is_ordinal or place.before.lower() in (
        "rev.",
        "first",
        "second",
        "third",
        "revised",
        "new",
    ):
        return "edition"
    return None


def _established(place: _Place) -> str | None:
    if not place.dotted:
        return None
    if re.match(r"\d{4}(?!\d)", place.after):
        return "established"
    return "estimated" if re.match(r"[$€£~]?\d", place.after) else None


def _et_al(place: _Place) -> str | None:
    return "al" if place.dotted and place.before.lower() == "et" else None


def _versus(place: _Place) -> str | None:
    return "versus" if place.before_is_name and place.after[:1].isupper() else None


def _always(words: str) -> Callable[[_Place], str | None]:
    return lambda place: words


def _dotted(words: str) -> Callable[[_Place], str | None]:
    return lambda place: words if place.dotted else None


def _readers() -> dict[str, Callable[[_Place], str | None]]:
    """Return how each word is read, by the spellings it has."""
    readers: dict[str, Callable[[_Place], str | None]] = {}
    readers |= dict.fromkeys(known.TITLES, _title) | dict.fromkeys(known.STREETS, _street)
    readers |= dict.fromkeys(known.AFTER_NAMES, _after_name) | dict.fromkeys(
        known.BEFORE_NUMBERS, _before_number
    )
    readers |= dict.fromkeys(known.DAYS, _day) | dict.fromkeys(known.MONTHS, _month)
    readers |= {"Dr": _doctor, "St": _saint, "ed": _edition, "est": _established, "Est": _established}
    readers |= dict.fromkeys(known.STATES, _state) | {"al": _et_al}
    for word, words in known.CONTRACTED.items():
        readers |= {word: _always(words), word.replace("'", "’"): _always(words)}
    readers |= {word: _always(words) for word, words in known.ANYWHERE.items()}
    readers |= {word: _dotted(words) for word, words in known.ANYWHERE_DOTTED.items()}
    readers |= {"c": _century, "temp": _temperature}
    return (
        {word.capitalize(): reader for word, reader in readers.items()}
        | readers
        | {"v": _versus, "Sec": _secretary}
        | dict.fromkeys(known.LIVES, _life)
    )


_READERS = _readers()


_JOINED = frozenset((*known.TITLES.values(), *known.BEFORE_NUMBERS.values(), "saint", "doctor", "secretary"))
"""What is said for abbreviations whose dot ends no sentence when something follows."""


_SHORTHAND = {
    spelling: words for word, words in CHAT.items() for spelling in (word, word.capitalize(), word.upper())
}
_SHORTHAND |= SMALL_CHAT
_SPELLED = {spelling for word in SPELLED_CHAT for spelling in (word, word.capitalize())}


def _say_word(match: re.Match[str]) -> list[Said] | None:
    word = match["word"]
    if word in _SPELLED:
        return [Said(" ".join(word.upper()), match.start(), match.end("word"), spelled=True)]
    if word in _SHORTHAND:
        return said(_SHORTHAND[word], match, "word")
    place = _place(match)
    words = _READERS[place.word](place)
    if words is None:
        return None
    if place.dotted and words in _JOINED and (place.after_is_name or place.after[:1].isdigit()):
        return [*said(words, match, "word"), *said("", match, "dot")]
    return said(words, match)


def _say_letters(match: re.Match[str]) -> list[Said] | None:
    """Read letters with dots: "U.S.", "e.g.", "Ph.D."."""
    parts = match.group().strip(".").split(".")
    letters = "".join(parts)
    if len(parts) == 1:
        return None
    if letters.lower() in known.LETTERS:
        return said(known.LETTERS[letters.lower()], match)
    if any(len(part) > 1 and part not in known.DEGREES for part in parts):
        return None
    if letters.islower() and not match.group().endswith("."):
        return None
    words = " ".join(letters.upper())
    if parts[-1] == "s" and not letters.islower():
        words = words[:-2] + "'s"
    return [Said(words, match.start(), match.end(), spelled=True)]


def _say_initial(match: re.Match[str]) -> list[Said] | None:
    """Read a name's initial without a stop; "A. Open the lid." keeps it, as a list mark."""
    text, begin = match.string, match.start()
    before = words_before(text, begin)
    if before and (before[-1][:1].islower() or before[-1] in NAMES or before[-1].lower() in HEADS):
        return None
    if judge_stop(stop_at(text, begin + 1), whole=True) is not Verdict.GOES_ON:
        return None
    is_list_mark = (
        begin == 0 and match.group() <= "E" and not re.match(r"[A-Z]\.", text[begin + 3 : begin + 5])
    )
    return [Said(match["letter"], begin, begin + (1 if is_list_mark else 2), spelled=True)]


def _say_slashed(match: re.Match[str]) -> list[Said] | None:
    if match.group().lower() == "n/a":
        return [Said("N A", match.start(), match.end(), spelled=True)]
    return said(known.SLASHED[match.group().lower()], match)


def _say_direction(match: re.Match[str]) -> list[Said] | None:
    """Read "N. Main St" and "E 9th St."."""
    words = known.DIRECTIONS.get(match["direction"])
    return said(words, match) if words else None


def _say_quarter(match: re.Match[str]) -> list[Said] | None:
    """Read "Ave NW", but no other "NW"."""
    before = words_before(match.string, match.start())
    return _say_direction(match) if before and before[-1].rstrip(".") in known.STREET_TYPES else None


def _say_semicoloned(match: re.Match[str]) -> list[Said]:
    return [Said(" ".join(match.group().replace(";", "").upper()), *match.span(), spelled=True)]


def _say_days(match: re.Match[str]) -> list[Said]:
    """Read "Mon/Wed/Fri" and "Jan/Feb"."""
    names = known.DAYS | known.MONTHS
    return said(" ".join(names.get(name, name) for name in match.group().split("/")), match)


def _say_range(match: re.Match[str]) -> list[Said]:
    """Read "Mon–Fri" and "June-August"."""
    names = known.DAYS | known.MONTHS
    first, last = match["first"], match["last"]
    return [
        Said(names.get(first, first), match.start(), match.end("first")),
        Said("to", match.end("first"), match.start("last")),
        Said(names.get(last, last), match.start("last"), match.end()),
    ]


_DATES = one_of((*known.DAYS, *known.DAYS.values(), *known.MONTHS, *known.MONTHS.values(), "May"))

_SHORT_DATES = one_of((*known.DAYS, *known.MONTHS))
_STREETS = one_of(known.STREET_TYPES)

_START = r"(?<![\w.@/#'’-].)"
"""After the first letter: it begins a word."""

RULES: tuple[Rule, ...] = (
    Rule(
        re.compile(
            rf"[A-Za-z](?=[hd]?\.[A-Za-z])(?:{_START}|(?<=[a-zA-Z]\./.)|(?<=\b[DR]-.))"
            r"[hd]?\.(?:[A-Za-z][a-z]{0,2}\.)*+(?:[A-Za-z][a-z]?)?(?![\w@]|/(?!\w\.))"
        ),
        _say_letters,
        needs=".",
    ),
    Rule(
        re.compile(
            r"[wbcnyWBCNY]/(?<![\w.@/#'’-]..)"
            r"(?:(?<=[wW].)(?:(?:in|o|e)(?![\w/])|(?=\s|[A-Za-z]{2}))"
            r"|(?:(?<=[bB].)c|(?<=[cyCY].)o|(?<=[nN].)[aA])(?![\w/]))"
        ),
        _say_slashed,
        needs="/",
    ),
    Rule(
        re.compile(rf"\b(?P<first>{_DATES})\.? ?[-–] ?(?P<last>{_DATES})(?:\.(?=,| +[a-z]))?(?![\w-])"),
        _say_range,
        needs="-–",
    ),
    Rule(
        re.compile(r"(?:['’][nN]['’](?!\w)|['’][nN](?<=\s..)(?=\s)|[nN]['’](?<=\s..)(?=\s[A-Z]))"),
        lambda match: said("and", match),
    ),
    Rule(re.compile(r"&c\.?(?!\w)"), lambda match: said("et cetera", match), needs="&"),
    Rule(re.compile(one_of(known.SEMICOLONED) + r"(?!\w)"), _say_semicoloned, needs=";"),
    Rule(
        re.compile(rf"\b(?<![/.-])(?:{_SHORT_DATES})(?:/(?:{_SHORT_DATES})){{1,6}}(?![\w/-])"),
        _say_days,
        needs="/",
    ),
    Rule(
        re.compile(
            rf"(?P<direction>[NSEW](?<![\w.'’&/-].)[EW]?)\.?"
            rf"(?=\s(?:[0-9]{{1,3}}(?:st|nd|rd|th)|[A-Z][a-z]{{2,20}}+)\s(?:{_STREETS})\b)"
        ),
        _say_direction,
    ),
    Rule(re.compile(r"(?P<direction>[NS][EW](?<![\w.'’&/-]..))(?![\w'’-])"), _say_quarter),
    Rule(
        re.compile(
            rf"\b(?<![.@/#'’-])(?P<word>{one_of((*_READERS, *_SHORTHAND, *_SPELLED))})"
            r"(?:(?P<dot>\.)(?![A-Za-z])|(?![\w'’@/.]|\.\w))"
        ),
        _say_word,
    ),
    Rule(re.compile(rf"(?P<letter>[A-Z]{_START})\.(?=\s+[\"“(]?[A-Z])"), _say_initial, needs="."),
)
