"""Stretched words, as people drawl in chats: "Noooo", "sooo", "hmmmm", "yesss".

Knows no capitals that are initialisms: their rules come first. Pure; any thread may call it.
"""

from __future__ import annotations

import re

from pipeline.text.english.known_capitals import ACRONYMS, SPELLED
from pipeline.text.english.shorthand import CHAT, SPELLED_CHAT
from pipeline.text.english.tables import pairs, words
from pipeline.text.rules import Rule, Said, said

_LONGEST_HEAD = 24
"""Letters of a word before the ones that are drawn out."""

_RUNS = 3
"""Runs in a word for which all ways to shorten them are tried."""

_DOUBLED = words(
    """good cool see seen feel feeling need free tree three sweet sleep sleepy sleeping keep keeping deep
    deeply weed beer cheers been meet week speed green queen too soon food mood moon room boom doom zoom
    loot shoot tool fool school pool stool goose loose choose noon spoon zoo boo moo woo woohoo oops ooh
    boot root book look looking took cookie hood wood stood blood flood door floor poor all call ball
    fall tall wall small hall well tell hell bell fell sell spell smell yell hello yellow will kill
    still chill bill fill full bull dull pull really finally literally totally actually silly belly hill
    miss kiss boss loss mess less dress stress cross pass class glass grass ass off stuff puff buff
    muffin coffee happy puppy funny sunny bunny yummy mommy daddy buddy sorry worry hurry merry berry
    better butter little letter bitter pretty kitty butt bullet apple happened egg bigger bloody buzz
    fuzz pizza jazz teen eek peek creepy agree degree committee employee guarantee annoying woof poof
    proof roof goof noodle doodle poop scoop loop troop snooze booze access success express whee wee
    yippee cheese freeze breeze sneeze squeeze needed indeed bleed seed feed speech screech teeth
    weekend allow follow hollow swallow million billion"""
)
"""Words that keep two of a letter that is drawn out."""

_SOUNDS = pairs(
    "a ah; o oh; u uh; e eek; m mm; hm hmm; sh shush; br burr; gr gur; aw aw; ew eww; pf pfft; ps psst"
)
"""How sounds that are no words are written for a voice, by what is left of them."""

_RUN = re.compile(r"([a-z])\1\1+")
_ROMAN = re.compile(r"[IVXLCDM]+")


def _say_stretched(match: re.Match[str]) -> list[Said] | None:
    text = match.group()
    if text.isupper() and (_ROMAN.fullmatch(text) or text in SPELLED or text in ACRONYMS):
        return None
    if len(set(text.lower())) == 1 and text[0].lower() not in _SOUNDS:
        return None
    word = _relaxed(text.lower())
    if word in SPELLED_CHAT:
        return [Said(" ".join(word.upper()), match.start(), match.end(), spelled=True)]
    return said(CHAT.get(word) or _SOUNDS.get(word) or word, match)


def _relaxed(word: str) -> str:
    """Return the word with its long runs of a letter made one letter, or two where that is a word."""
    short = _RUN.sub(r"\1", word)
    if len(_RUN.findall(word)) > _RUNS:
        return short
    candidates = [""]
    at = 0
    for run in _RUN.finditer(word):
        heads = [head + word[at : run.start()] for head in candidates]
        candidates = [head + run[1] * times for head in heads for times in (2, 1)]
        at = run.end()
    return next((head + word[at:] for head in candidates if head + word[at:] in _DOUBLED), short)


RULES: tuple[Rule, ...] = (
    Rule(
        re.compile(rf"(?<![\w@/#])[A-Za-z]{{0,{_LONGEST_HEAD}}}?([A-Za-z])\1\1[A-Za-z]*+(?![\w@/]|\.\w)"),
        _say_stretched,
    ),
)
