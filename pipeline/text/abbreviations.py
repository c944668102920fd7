"""English words that end in a dot without ending the sentence, and words that begin one.

Data and one lookup; knows nothing of positions or buffers. Pure; any thread may call it. Where a rule has to
guess, it joins: two sentences read in one breath are heard as haste, a sentence broken at "Dr." as a fault.
"""

from __future__ import annotations

import re
from enum import Enum, auto


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


class Abbreviation(Enum):
    """How a word before a dot behaves."""

    NONE = auto()
    """No abbreviation: the dot is a stop."""
    JOINED = auto()
    """Something always follows: "Dr. Smith", "e.g. apples"."""
    NUMBERED = auto()
    """An abbreviation only before a number: "No. 5"."""
    LABEL = auto()
    """One before a number, a Roman one too, or a word in lower case: "Fig. 3", "Vol. IV", "vol. two"."""
    HOUR = auto()
    """Ends the sentence before a capital, unless a day, a month or a time zone follows: "5 p.m. They"."""
    LIST_END = auto()
    """Ends the sentence before a capital: "etc. Then", "15 min. Cook"."""
    OPEN = auto()
    """May stand anywhere: only a word that usually begins a sentence shows that one ended."""


STARTERS = _words(
    "a after all also although an and another any are as at because before both but by can could did do "
    "does each either even every few finally first for from had has have he her here hers his how however i "
    "if in instead is it its just last later let many maybe meanwhile more most my next no nobody nor not "
    "nothing now of on once one or other our perhaps please she should since so some somebody someone "
    "sometimes soon still such that the their then there therefore these they this those though thus to "
    "today tomorrow two unless until was we well were what when where whether which while who whom whose "
    "why with without would yes yesterday yet you your"
)
"""Words, in lower case, that begin sentences and are hardly ever names."""

DAYS_AND_ZONES = _words(
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun "
    "january february march april may june july august september october november december jan feb mar apr "
    "jun jul aug sep sept oct nov dec est edt pst pdt cst cdt mst mdt gmt utc bst cet cest ist jst et pt ct "
    "mt eastern pacific central mountain"
)
"""Words, in lower case, that may follow an hour in the same sentence although they have a capital."""

BEFORE_LETTERS = _words(
    "vitamin plan grade type class group team option exhibit hepatitis appendix section part"
)
"""Words, in lower case, that a letter follows which is no initial: "vitamin C. Studies show"."""

EXCLAIMED = _words("Yahoo Jeopardy Panic Wham Oklahoma Joomla Yum Ahoy Airplane E Shazam Dolly Mia")
"""Names whose last character is an exclamation mark: the sentence goes on before a word in lower case."""

NOT_AFTER_EXCLAIMED = _words(
    "i it we you he she they this that there what who how why when so but no yes please let my your our ok "
    "lol thanks"
)
"""Words, in lower case, that begin a sentence after such a name even where its writer uses no capitals."""

AFTER_EXCLAIMED = _words(
    "inc mail news finance answers japan sports messenger search entertainment online brands"
)
"""Words, in lower case, that go on such a name although they have a capital: "E! News"."""

_TITLES = _words(
    "Mr Mrs Ms Mx Dr Drs Prof Rev Fr Hon Gen Col Maj Capt Cmdr Cdr Lt Sgt Cpl Pvt Adm Brig Gov Sen Rep Pres "
    "Supt Sts Amb Br Det Insp Atty Messrs Mme Mlle Msgr"
)
_ALWAYS_JOINED = _words("e.g i.e eg ie cf viz vs v.s p.s n.b p.p.s")
_DATES = _words(
    "Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun"
)
_NUMBERED = _words("no nos nr rs matt ps prov isa jer rom heb exod deut lev eph gal thess tim cor sam neh")
_LABELS = _words(
    "fig figs vol vols ch chap sec sect eq eqs pp pg par para ver ed apt bldg hwy rte rt max op loc cit fl sc"
)
_LIST_ENDS = _words("etc min mins hr hrs secs")
_HOURS = _words("a.m p.m")
_OPEN = _words(
    "inc ltd co corp llc bros plc gmbh jr sr esq st ste ave blvd rd sq mt ft dept univ assn approx est "
    "ca al ext pt pts pkg pkgs ea oz lb lbs tel misc incl excl resp intl natl govt mfg pct tsp tbsp "
    "mi yd yds qt qts gal gals cu mo mos deg doz temp pl ln ct pkwy"
)
_NO_ABBREVIATIONS = _words("EST")
"""Words in capitals that are none although they look like one: the time zone."""
_STATES = _words(
    "Ariz Ark Calif Colo Conn Del Fla Ga Kan Ky Mass Mich Minn Mo Mont Neb Nev Okla Pa Tenn Tex Va Vt Wash"
)
_PART = r"(?:[^\W\d_]|[A-Z][a-z])"
_DOTTED = re.compile(rf"(?:{_PART}\.)+{_PART}\Z")  # "U.S", "a.k.a", "Ph.D", but not "ASP.NET"


def abbreviation(word: str) -> Abbreviation:
    """Look up a word as it stands before its dot, without that dot: "Dr", "e.g", "U.S", "J"."""
    lower = word.lower()
    kind = Abbreviation.NONE
    if word in _NO_ABBREVIATIONS:
        return kind
    if word in _TITLES or lower in _ALWAYS_JOINED:
        kind = Abbreviation.JOINED
    elif lower in _HOURS:
        kind = Abbreviation.HOUR
    elif lower in _LIST_ENDS:
        kind = Abbreviation.LIST_END
    elif lower in _LABELS or word in _DATES:
        kind = Abbreviation.LABEL
    elif lower in _NUMBERED:
        kind = Abbreviation.NUMBERED
    elif lower in _OPEN or word in _STATES or _is_dotted(word):
        kind = Abbreviation.OPEN
    return kind


def _is_dotted(word: str) -> bool:
    """Whether it is an initial, or letters with dots between them."""
    return _DOTTED.match(word) is not None or (len(word) == 1 and word.isalpha())
