"""Numbers that name instead of count, digit by digit."""

from __future__ import annotations

import pytest

from pipeline.text.mandarin.reader import read_mandarin


def read(text: str) -> str:
    return "".join(word.text for word in read_mandarin(text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("13545678900", "幺三五四五六七八九零零"),
        ("135-4567-8900", "幺三五四五六七八九零零"),
        ("135 4567 8900", "幺三五四五六七八九零零"),
        ("+8613545678900", "加八六幺三五四五六七八九零零"),
        ("+86 135 4567 8900", "加八六幺三五四五六七八九零零"),
    ],
)
def test_a_mobile_number_is_said_digit_by_digit(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("010-62345678", "零幺零六二三四五六七八"),
        ("0755-86013388转123", "零七五五八六零幺三三八八转幺二三"),
        ("400-123-4567", "四零零幺二三四五六七"),
        ("+1 650 253 0000", "加幺六五零二五三零零零零"),
    ],
)
def test_other_telephones_are_known_by_their_form(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("拨打110", "拨打幺幺零"),
        ("打120", "打幺二零"),
        ("热线：12345", "热线:幺二三四五"),
        ("10086客服", "幺零零八六客服"),
        ("拨打110或120", "拨打幺幺零或幺二零"),
        ("打110折", "打幺幺零折"),
        ("打12折", "打十二折"),
    ],
)
def test_short_telephones_are_known_by_the_words_around_them(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("13800000000年", "一百三十八亿年"),
        ("13545678900元", "一百三十五亿四千五百六十七万八千九百元"),
        ("手机1000元", "手机一千元"),
    ],
)
def test_a_number_that_counts_is_no_telephone(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("房间301", "房间三零一"),
        ("验证码是 8462", "验证码是八四六二"),
        ("邮编100080", "邮编一零零零八零"),
        ("密码：0000", "密码:零零零零"),
        ("尾号1234", "尾号幺二三四"),
        ("编号5", "编号五"),
        ("订单100个", "订单一百个"),
        ("证书号12345", "证书号一二三四五"),
    ],
)
def test_a_code_is_known_by_its_name(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("305室", "三零五室"),
        ("301路", "三零一路"),
        ("300路", "三百路"),
        ("15路", "十五路"),
        ("G1022次列车", "G一零二二次列车"),
        ("747客机", "七四七客机"),
        ("1000次", "一千次"),
    ],
)
def test_a_room_a_route_or_a_train_is_known_by_what_follows(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("9·11事件", "九一一事件"),
        ("5·12大地震", "五一二大地震"),
        ("996工作制", "九九六工作制"),
        ("“618”", "“六一八”"),
        ("666！", "六六六!"),
        ("666元", "六百六十六元"),
    ],
)
def test_a_number_that_became_a_name_is_said_digit_by_digit(text: str, said: str) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("6222 0212 3456 7890", "六二二二零二一二三四五六七八九零"),
    ],
)
def test_a_card_number_in_groups_is_said_digit_by_digit(text: str, said: str) -> None:
    assert read(text) == said
