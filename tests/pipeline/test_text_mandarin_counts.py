"""Numbers that count or order, and what joins two of them."""

from __future__ import annotations

import pytest

from pipeline.text.mandarin.reader import read_mandarin


def read(text: str) -> str:
    return "".join(word.text for word in read_mandarin(text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2个", "两个"),
        ("2 本书", "两本书"),
        ("2小时", "两小时"),
        ("2km", "两公里"),
        ("2万", "两万"),
        ("2-3天", "两到三天"),
        ("2", "二"),
        ("2百", "二百"),
        ("2月2日", "二月二日"),
        ("2楼", "二楼"),
        ("2两", "二两"),
        ("2分之1", "二分之一"),
        ("12个", "十二个"),
        ("2.5个", "二点五个"),
    ],
)
def test_two_of_something_is_said_otherwise_than_the_number_two(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("第2个", "第二个"),
        ("初2", "初二"),
        ("第 2 名", "第二名"),
        ("第2000个", "第两千个"),
    ],
)
def test_an_order_has_no_two_of_something(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("3、4个", "三四个"),
        ("2、3天", "两三天"),
        ("3、5个", "三,五个"),
        ("第1、2、3名", "第一,二,三名"),
    ],
)
def test_neighbouring_numbers_are_said_as_one_guess(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("10-12个", "十到十二个"),
        ("10~12", "十到十二"),
        ("10—12", "十到十二"),
        ("5月1日-7日", "五月一日到七日"),
        ("20℃-25℃", "二十摄氏度到二十五摄氏度"),
        ("1万-2万", "一万到两万"),
    ],
)
def test_a_dash_between_numbers_is_said_as_to(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("-5", "负五"),
        ("温度-5℃", "温度零下五摄氏度"),
        ("是-3.2", "是负三点二"),
        ("东风-41", "东风四十一"),
        ("歼-20", "歼二十"),
        ("-5~-1℃", "零下五到零下一摄氏度"),
        ("~10个", "约十个"),
        ("x²-4=0", "X平方减四等于零"),
    ],
)
def test_a_dash_before_a_number_is_a_minus_or_part_of_a_name(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("4-4-2", "四四二"),
        ("123-456-789", "一二三四五六七八九"),
    ],
)
def test_numbers_in_a_chain_are_digits(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("3.2.1", "三点二点一"),
        ("10.15.7", "十点一五点七"),
        ("192.168.1.1", "一九二点一六八点一点一"),
        ("127.0.0.1:8765", "一二七点零点零点一:八七六五"),
    ],
)
def test_a_version_is_said_point_by_point(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("CA1234", "CA一二三四"),
        ("A4", "A四"),
        ("G20", "G二十"),
        ("A-1024", "A一零二四"),
        ("选项A 100分", "选项A一百分"),
    ],
)
def test_digits_after_letters_are_a_code_if_they_are_many(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("123456789", "一二三四五六七八九"),
        ("123456789人", "一亿二千三百四十五万六千七百八十九人"),
        ("123,456,789", "一亿二千三百四十五万六千七百八十九"),
    ],
)
def test_long_numbers_that_count_nothing_are_digits(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1米75", "一米七五"),
        ("9秒58", "九秒五八"),
        ("3块50", "三块五"),
        ("小米15", "小米十五"),
    ],
)
def test_what_follows_a_unit_is_its_decimals(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (".5", "零点五"),
        ("约 .25", "约零点二五"),
    ],
)
def test_a_decimal_may_lack_its_zero(text: str, said: str) -> None:
    assert read(text) == said
