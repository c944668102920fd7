"""Money, percentages, fractions and units."""

from __future__ import annotations

import pytest

from pipeline.text.mandarin.reader import read_mandarin


def read(text: str) -> str:
    return "".join(word.text for word in read_mandarin(text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("¥99", "九十九元"),
        ("￥9.90", "九点九元"),
        ("$1,299", "一千二百九十九美元"),
        ("€50", "五十欧元"),
        ("HK$1.5万", "一点五万港元"),
        ("$2万亿", "两万亿美元"),
        ("USD 100", "一百美元"),
        ("500 RMB", "五百元"),
        ("$5-10", "五到十美元"),
        ("¥35/人", "三十五元每人"),
    ],
)
def test_money_is_said_with_its_currency_after_it(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,234.50元", "一千二百三十四点五元"),
        ("5.00元", "五元"),
        ("2.50米", "二点五零米"),
    ],
)
def test_an_amount_has_no_zero_at_the_end_of_its_decimals(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("25.5%", "百分之二十五点五"),
        ("100%", "百分之百"),
        ("-3%", "负百分之三"),
        ("5%-10%", "百分之五到百分之十"),
        ("5-10%", "百分之五到百分之十"),
        ("5到10%", "百分之五到百分之十"),
        ("3‰", "千分之三"),
    ],
)
def test_a_percentage_is_said_before_its_number(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("3/4", "四分之三"),
        ("1 1/2", "一又二分之一"),
        ("½", "二分之一"),
        ("3½", "三又二分之一"),
        ("1/2kg", "二分之一公斤"),
    ],
)
def test_a_fraction_is_said_from_below(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("血压120/80", "血压一百二十,八十"),
        ("24/7", "二十四,七"),
        ("5/5", "五,五"),
        ("他/她", "他,她"),
    ],
)
def test_a_slash_between_other_numbers_is_a_pause(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("5km", "五公里"),
        ("5 kg", "五公斤"),
        ("120㎡", "一百二十平方米"),
        ("3m²", "三平方米"),
        ("60km/h", "六十公里每小时"),
        ("9.8m/s²", "九点八米每平方秒"),
        ("10MB/s", "十兆每秒"),
        ("5元/kg", "五元每公斤"),
        ("3次/天", "三次每天"),
        ("16GB", "十六GB"),
        ("m", "M"),
        ("20°C", "二十摄氏度"),
        ("98℉", "九十八华氏度"),
        ("90°", "九十度"),
        ("十几km", "十几公里"),
    ],
)
def test_a_unit_is_said_after_a_number_only(text: str, said: str) -> None:
    assert read(text) == said
