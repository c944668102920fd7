"""Dates, years and times of day as Mandarin says them."""

from __future__ import annotations

import pytest

from pipeline.text.mandarin.reader import read_mandarin


def read(text: str) -> str:
    return "".join(word.text for word in read_mandarin(text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2026年11月30日", "二零二六年十一月三十日"),
        ("2026-11-30", "二零二六年十一月三十日"),
        ("2026/1/5", "二零二六年一月五日"),
        ("2023.12.05", "二零二三年十二月五日"),
        ("2024年05月06日", "二零二四年五月六日"),
        ("2 月 2 号", "二月二号"),
    ],
)
def test_a_date_is_said_by_year_month_and_day_however_it_is_written(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2026-13-45", "二零二六一三四五"),
        ("3/4/5", "三,四,五"),
        ("2024-25个", "两千零二十四到二十五个"),
    ],
)
def test_what_is_no_date_is_not_read_as_one(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2008年", "二零零八年"),
        ("98年出生", "九八年出生"),
        ("08年", "零八年"),
        ("公元前221年", "公元前二二一年"),
        ("1900年前后", "一九零零年前后"),
        ("1990年代", "一九九零年代"),
        ("（1984）", "(一九八四)"),
        ("2024款", "二零二四款"),
    ],
)
def test_a_year_is_said_digit_by_digit(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("10年", "十年"),
        ("2年", "两年"),
        ("50年", "五十年"),
        ("80年代", "八十年代"),
        ("5000年历史", "五千年历史"),
        ("2000年前", "两千年前"),
        ("过了98年", "过了九十八年"),
        ("3年2班", "三年二班"),
        ("2年级", "二年级"),
    ],
)
def test_years_that_are_counted_are_a_number(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2024-2026年", "二零二四到二零二六年"),
        ("2024至2026年", "二零二四至二零二六年"),
        ("1881-1936", "一八八一到一九三六"),
        ("2024/25赛季", "二零二四二五赛季"),
        ("1500-2000元", "一千五百到两千元"),
    ],
)
def test_two_years_are_both_said_digit_by_digit(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("90后", "九零后"),
        ("80、90后", "八零,九零后"),
        ("05后", "零五后"),
        ("第30后", "第三十后"),
    ],
)
def test_a_generation_is_named_by_its_digits(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("日期：11/30", "日期:十一月三十日"),
        ("3/8妇女节", "三月八日妇女节"),
        ("3/8的人", "八分之三的人"),
    ],
)
def test_a_day_is_told_from_a_fraction_by_the_words_around_it(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("15:05", "十五点零五分"),
        ("3:30", "三点半"),
        ("15:30", "十五点三十分"),
        ("9:00", "九点"),
        ("00:00", "零点"),
        ("2:00", "两点"),
        ("3:30:15", "三点三十分十五秒"),
        ("8:05:00", "八点零五分"),
        ("9:00-18:00", "九点到十八点"),
        ("14:00整", "十四点整"),
    ],
)
def test_a_time_of_day_is_said_by_hours_and_minutes(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("10:30 AM", "上午十点半"),
        ("3 p.m.", "下午三点"),
        ("8pm", "晚上八点"),
        ("12:15 PM", "中午十二点十五分"),
        ("12am", "凌晨零点"),
    ],
)
def test_am_and_pm_are_said_first(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("用时3:25", "用时三分二十五秒"),
        ("时长1:23:45", "时长一小时二十三分四十五秒"),
        ("配速5'30\"", "配速五分三十秒"),
    ],
)
def test_how_long_something_lasts_is_no_time_of_day(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("99:59", "九十九比五十九"),
    ],
)
def test_an_hour_that_no_clock_shows_is_no_time(text: str, said: str) -> None:
    assert read(text) == said
