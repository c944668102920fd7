"""Symbols that are said, and those that are silent."""

from __future__ import annotations

import pytest

from pipeline.text.mandarin.reader import read_mandarin


def read(text: str) -> str:
    return "".join(word.text for word in read_mandarin(text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("苹果&香蕉", "苹果和香蕉"),
        ("@小明", "艾特小明"),
        ("A+B=C", "A加B等于C"),
        ("18+", "十八加"),
        ("+5%", "正百分之五"),
        ("北京→上海", "北京到上海"),
        ("±5", "正负五"),
        ("√2", "根号二"),
    ],
)
def test_a_symbol_between_things_is_said(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x>3", "X大于三"),
        ("a<=b", "A小于等于B"),
        ("血糖<7", "血糖小于七"),
        (">=100", "大于等于一百"),
        ("a=>b", "AB"),
        ("x==y", "XY"),
    ],
)
def test_a_comparison_is_said_between_things_or_before_a_number(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x²", "X平方"),
        ("5³", "五立方"),
        ("10^3", "十的三次方"),
        ("10⁻⁶", "十的负六次方"),
    ],
)
def test_a_power_is_said_after_its_base(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#话题#", "话题"),
        ("**重点**", "重点"),
        ("好的~", "好的"),
        ("★推荐★", "推荐"),
    ],
)
def test_a_symbol_that_says_nothing_is_silent(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("二○一九年", "二零一九年"),
        ("○选项", "选项"),
    ],
)
def test_a_circle_among_digits_is_zero(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("39°54′", "三十九度五十四分"),
    ],
)
def test_parts_of_a_degree_are_said(text: str, said: str) -> None:
    assert read(text) == said
