"""Phonemes from dictionaries become those the voice was taught, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import hibari.g2p
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.ipa import STRESSES, SYMBOLS, to_voice


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("həˈloʊ", "həˈlO"),
        ("həlˈO wˈɜɹld", "həlˈO wˈɜɹld"),
        ("/ˈdʒɛn.də(r)/", "ˈʤɛndəɹ"),
        ("t͡ʃaɪld", "ʧIld"),
        ("ˈnɝd ˈbɜːrd ˈbɜːd ˈbʌtɚ", "ˈnɜɹd ˈbɜɹd ˈbɜɹd ˈbʌtəɹ"),
        ("geɪm, haʊs; tɔɪ", "ɡAm hWs tY"),
        ("ˈbɛtə\u02de", "ˈbɛtə"),
        ("ˈvaːɡnɐ", "ˈvɑɡnɐ"),
        ("gaɾson ɲoki ʁuʒ zœʁ ʃã ça", "ɡɑTsOn njOki ɹuʒ zɜɹ ʃɑ hɑ"),
        ("n'aɪt", "nˈIt"),
    ],
)
def test_a_spelling_becomes_what_the_voice_says_for_it(written: str, said: str) -> None:
    assert to_voice(written) == said


@pytest.mark.parametrize("written", ["", "//", "世界", "ˈ", " ˌ ˈ ", "..."])
def test_what_has_no_sound_is_nothing(written: str) -> None:
    assert to_voice(written) == ""


@given(written=st.text(st.one_of(st.sampled_from(sorted(SYMBOLS) + list(" eaorgːʁ.͡")), st.characters())))
def test_any_text_gives_words_of_the_voices_symbols_that_stay_as_they_are(written: str) -> None:
    said = to_voice(written)
    assert all(SYMBOLS.issuperset(word) and not STRESSES.issuperset(word) for word in said.split(" ") if said)
    assert to_voice(said) == said


def test_the_network_knows_every_symbol() -> None:
    vocabulary = Path(hibari.g2p.ASSETS, "vocab.json").read_text(encoding="utf-8")
    assert set(json.loads(vocabulary)) >= SYMBOLS
