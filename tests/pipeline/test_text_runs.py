"""Language runs: each stretch of a text goes to the reader of its language."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.text.runs import language_runs

HINTS = ("en", "zh", "zh-CN", "mixed", "de", "ja", "")
WORDS = "我 北京 3 15:30 km iPhone don't A GPT-4 é e\u0301 の 안 я http://a.b/c a@b.com No. C++ .NET"
MARKS = '， 。 “ " ( ) - + 😀 \u200d ℃ $ /'
PIECES = st.sampled_from([*WORDS.split(), *MARKS.split(), " ", "  ", "\n"])
TEXTS = st.one_of(st.lists(PIECES, max_size=20).map("".join), st.text(max_size=40))


def runs(text: str, hint: str) -> list[tuple[str, str]]:
    return [(text[run.begin : run.end], run.language) for run in language_runs(text, hint)]


@given(TEXTS, st.sampled_from(HINTS))
def test_runs_cover_any_text_in_order_and_neighbours_differ(text: str, hint: str) -> None:
    found = language_runs(text, hint)
    assert [run.begin for run in found] == ([0] + [run.end for run in found[:-1]] if text else [])
    assert "".join(text[run.begin : run.end] for run in found) == text
    assert all(run.begin < run.end for run in found)
    assert all(one.language != other.language for one, other in pairwise(found))


@given(TEXTS, st.sampled_from(HINTS))
def test_no_run_begins_inside_a_word(text: str, hint: str) -> None:
    for run in language_runs(text, hint)[1:]:
        before, after = text[run.begin - 1], text[run.begin]
        assert not (before.isascii() and after.isascii() and before.isalpha() and after.isalpha())
        assert after not in "'’\u0301"


@given(TEXTS)
def test_han_is_read_in_chinese_whatever_the_hint(text: str) -> None:
    for hint in HINTS:
        for run in language_runs(text, hint):
            if run.language != "zh":
                assert not any("一" <= character <= "鿿" for character in text[run.begin : run.end])


def test_english_without_han_is_one_run() -> None:
    assert runs("He ran 5 km — that's 3.1 miles.", "en") == [("He ran 5 km — that's 3.1 miles.", "en")]
    assert runs("Café — 3 €.", "de") == [("Café — 3 €.", "de")]


def test_latin_words_in_chinese_are_english() -> None:
    assert runs("我用iPhone看YouTube直播。", "mixed") == [
        ("我用", "zh"),
        ("iPhone", "en"),
        ("看", "zh"),
        ("YouTube", "en"),
        ("直播。", "zh"),
    ]


def test_punctuation_stays_with_the_text_before_and_opens_the_text_after() -> None:
    assert runs("他说：“Hello”，对吗？", "zh") == [("他说：", "zh"), ("“Hello”，", "en"), ("对吗？", "zh")]
    assert runs('叫做"Siri"的(beta)版', "zh") == [
        ("叫做", "zh"),
        ('"Siri"', "en"),
        ("的", "zh"),
        ("(beta)", "en"),
        ("版", "zh"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "跑了5km，用了25 min，体重70 kg，20 °C",
        "速度60km/h，带宽10MB/s，5元/kg",
        "下午3:30 PM",
        "100 USD，USD 100，$100，HK$20",
        "A4纸、B站、T恤、K歌、5G网络、3D打印、4K",
        "选项 A 和 B",
        "A/B测试",
        "航班CA1234，G1234次列车，F-16战机，PM2.5，H1N1，MP3，v2.0，RTX 4090",
        "x=5，y=2x+1",
    ],
)
def test_units_codes_and_single_letters_go_with_chinese_digits(text: str) -> None:
    assert runs(text, "zh") == [(text, "zh")]


def test_digits_after_a_latin_name_in_chinese_are_chinese() -> None:
    assert runs("我买了iPhone 15。", "zh") == [("我买了", "zh"), ("iPhone ", "en"), ("15。", "zh")]
    assert runs("COVID-19疫情", "zh") == [("COVID-", "en"), ("19疫情", "zh")]
    assert runs("用Python 3.11写", "mixed") == [("用", "zh"), ("Python ", "en"), ("3.11写", "zh")]


def test_an_english_phrase_keeps_its_digits() -> None:
    assert runs("他说“I have 15 apples.”然后走了", "zh") == [
        ("他说", "zh"),
        ("“I have 15 apples.”", "en"),
        ("然后走了", "zh"),
    ]
    assert runs("Hello world, I have 3 pears.", "zh") == [("Hello world, I have 3 pears.", "en")]


@pytest.mark.parametrize(
    "address",
    [
        "https://example.com/a1?b=2",
        "help@example.com",
        "www.qq.com",
        "163.com",
        "node.js",
        "main_2.py",
        "a_1",
        "@user_12",
        "No. 1",
    ],
)
def test_an_address_or_a_name_with_digits_is_one_english_run(address: str) -> None:
    assert runs(f"请看{address}，谢谢", "zh") == [("请看", "zh"), (f"{address}，", "en"), ("谢谢", "zh")]


def test_digits_alone_are_read_in_the_language_of_the_hint() -> None:
    assert runs("3.14", "zh") == [("3.14", "zh")]
    assert runs("3.14", "en") == [("3.14", "en")]


def test_in_english_text_digits_are_english_unless_they_touch_han() -> None:
    assert runs("The word 你好 has 2 characters.", "en") == [
        ("The word ", "en"),
        ("你好 ", "zh"),
        ("has 2 characters.", "en"),
    ]
    assert runs("The plan for 2026年 is ready and it is good.", "en")[1] == ("2026年 ", "zh")


def test_chinese_text_is_chinese_though_the_hint_is_english() -> None:
    assert runs("今天是2026年11月30日，跑了5km。", "en") == [("今天是2026年11月30日，跑了5km。", "zh")]


def test_other_scripts_are_told_or_left_to_the_hint() -> None:
    assert runs("你好 こんにちは 안녕", "zh") == [("你好 ", "zh"), ("こんにちは ", "ja"), ("안녕", "ko")]
    assert runs("Привет", "zh") == [("Привет", "zh")]
    assert runs("Привет, world", "en") == [("Привет, world", "en")]


def test_english_text_with_a_few_han_characters_keeps_its_digits_for_a_chinese_voice_too() -> None:
    for hint in ("en", "mixed"):
        assert runs("The temperature in 北京 is -5℃ today.", hint) == [
            ("The temperature in ", "en"),
            ("北京 ", "zh"),
            ("is -5℃ today.", "en"),
        ]
        assert runs("I paid ¥99 for 3包糖 at 7:30 this morning.", hint) == [
            ("I paid ¥99 for ", "en"),
            ("3包糖 ", "zh"),
            ("at 7:30 this morning.", "en"),
        ]


def test_a_plus_goes_with_the_number_it_touches() -> None:
    assert runs("时区是London+8吗", "zh") == [("时区是", "zh"), ("London", "en"), ("+8吗", "zh")]
    assert runs("会C++和Java吗", "zh")[1] == ("C++", "en")


def test_a_unit_behind_a_multiplied_number_belongs_to_it() -> None:
    assert runs("光速30万km/s。", "zh") == [("光速30万km/s。", "zh")]
    assert runs("他有30万fans。", "zh")[1] == ("fans。", "en")
