"""Two numbers side by side: scores, ratios, sums."""

from __future__ import annotations

import pytest

from pipeline.text.mandarin.reader import read_mandarin


def read(text: str) -> str:
    return "".join(word.text for word in read_mandarin(text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("比分是3:2", "比分是三比二"),
        ("以21:15战胜", "以二十一比十五战胜"),
        ("2-1领先", "二比一领先"),
        ("比例1:10", "比例一比十"),
        ("比分为25-18、25-22", "比分为二十五比十八,二十五比二十二"),
    ],
)
def test_a_score_or_a_ratio_is_told_by_the_words_around_it(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("16:9", "十六比九"),
        ("112:108", "一百一十二比一百零八"),
        ("1:50000", "一比五万"),
        ("1:2:3", "一比二比三"),
        ("2-0", "二比零"),
    ],
)
def test_what_no_clock_shows_is_a_ratio(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("下午3:20", "下午三点二十分"),
        ("15:30以2:0获胜", "十五点三十分以二比零获胜"),
    ],
)
def test_a_time_is_no_score(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("3+5=8", "三加五等于八"),
        ("10-3=7", "十减三等于七"),
        ("2×3", "二乘以三"),
        ("10÷2", "十除以二"),
        ("3*4=12", "三乘以四等于十二"),
        ("1/2=0.5", "一除以二等于零点五"),
        ("5-3等于2", "五减三等于二"),
        ("1920x1080", "一千九百二十乘以一千零八十"),
        ("3m×4m", "三米乘以四米"),
    ],
)
def test_what_is_reckoned_is_said_with_its_signs(text: str, said: str) -> None:
    assert read(text) == said
