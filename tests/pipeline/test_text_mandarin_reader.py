"""The Mandarin reader: every character once, punctuation where it belongs, rules' readings in between."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.speech import Spoken
from pipeline.text.emoji import emoji_rules
from pipeline.text.mandarin.fold import folded
from pipeline.text.mandarin.reader import read_mandarin
from pipeline.text.rules import claims

WORDS = (
    "我 年 月 日 点 分 元 个 第 到 至 万 亿 比 温度 电话 電話 是 号 路 "
    "3 15 2026 0 007 1,234 3.5 138 1234 00000 A "
    "km GB pm"
)
MARKS = '。 ， 、 …… —— “ ” 「 " ( ） - ~ / : ： . % ‰ ℃ ° ¥ $ + × = < > @ & #'
OTHERS = "½ ² ① Ⅷ ㎡ ３ ％ ～ ○ 〇 😀 あ é ६"
TEXTS = st.one_of(
    st.lists(st.sampled_from([*WORDS.split(), *MARKS.split(), *OTHERS.split(), " "]), max_size=24).map(
        "".join
    ),
    st.text(max_size=40),
)


def joined(text: str) -> str:
    return "".join(word.text for word in read_mandarin(text))


@given(TEXTS)
def test_spans_lie_in_the_text_and_never_fall(text: str) -> None:
    words = read_mandarin(text)
    assert all(0 <= word.offset < word.offset + word.length <= len(text) for word in words)
    begins = [word.offset for word in words]
    assert begins == sorted(begins)


@given(TEXTS)
def test_every_letter_and_digit_but_an_emoticons_is_covered(text: str) -> None:
    covered = {at for word in read_mandarin(text) for at in range(word.offset, word.offset + word.length)}
    covered |= {at for face in claims(folded(text), emoji_rules()) for at in range(face.begin, face.end)}
    assert [at for at, character in enumerate(text) if character.isalnum() and at not in covered] == []


@given(TEXTS)
def test_no_digit_and_no_space_is_left_in_a_word(text: str) -> None:
    for word in read_mandarin(text):
        assert word.text
        assert not any(character.isdigit() or character.isspace() for character in word.text)


@given(st.text("我们在这里。，！？“”（）…—", max_size=40))
def test_plain_chinese_comes_through_character_by_character(text: str) -> None:
    said = [word.text.strip(",.!?“”()…—") for word in read_mandarin(text)]
    assert [character for character in said if character] == [
        character for character in text if character.isalpha()
    ]


def test_each_character_is_a_word_with_the_punctuation_that_touches_it() -> None:
    assert read_mandarin("他说：“走吧。”") == [
        Spoken("他", 0, 1, "zh"),
        Spoken("说:", 1, 2, "zh"),
        Spoken("“走", 3, 2, "zh"),
        Spoken("吧.”", 5, 3, "zh"),
    ]


def test_a_claim_is_one_word_with_exactly_its_characters() -> None:
    assert read_mandarin("（2026年）") == [Spoken("(二零二六", 1, 4, "zh"), Spoken("年)", 5, 2, "zh")]


def test_letters_are_named_in_english() -> None:
    assert read_mandarin("A股") == [Spoken("A", 0, 1, "en", spelled=True), Spoken("股", 1, 1, "zh")]
    assert [word.text for word in read_mandarin("ｋｔｖ") if word.spelled] == ["K", "T", "V"]


def test_full_width_characters_are_read_like_ascii_ones_at_their_own_place() -> None:
    assert read_mandarin("５０％。") == [Spoken("百分之五十.", 0, 3, "zh")]
    assert joined("１５：３０") == joined("15:30") == "十五点三十分"
    assert joined("１００，２００元") == "一百,二百元"


def test_marks_are_those_a_voice_knows_each_once() -> None:
    assert joined("等等……不！！！真的？！好——吧～《书》、【注】") == "等等…不!真的?!好—吧“书”,(注)"


def test_straight_quotes_open_and_close_in_turn() -> None:
    assert [word.text for word in read_mandarin('他说"走"了')] == ["他", "说", '"走"', "了"]


def test_traditional_text_is_read_in_traditional_characters() -> None:
    assert joined("下午3點30分，1.2億，2個，2萬") == "下午三點三十分,一點二億,兩個,兩萬"
    assert joined("氣溫-5℃，後來3:15到") == "氣溫零下五攝氏度,後來三點十五分到"
    assert joined("后来3:15到") == "后来三点十五分到"


def test_text_of_marks_alone_is_one_word() -> None:
    assert [word.text for word in read_mandarin("……")] == ["…"]
    assert read_mandarin("") == []


def test_emoji_are_silent_or_named() -> None:
    assert joined("好的😀。") == "好的."
    assert len(joined("好的😀。")) < len("".join(w.text for w in read_mandarin("好的😀。", names_emoji=True)))


def test_numeric_characters_are_said() -> None:
    assert joined("①苹果②梨，第Ⅷ章，½杯，二○二六年，㉑") == "一苹果二梨,第八章,二分之一杯,二零二六年,二十一"


def test_digits_of_other_scripts_are_said() -> None:
    assert joined("६个") == "六个"


def test_long_hostile_text_is_read() -> None:
    for piece in (
        "1",
        "1-",
        "1:",
        "1/",
        "1.",
        "1,",
        "1年",
        "(1",
        "$1",
        "比分",
        "+1 ",
        "a1",
        "电话1",
        "½",
        "1x",
    ):
        words = read_mandarin(piece * 3_000)
        assert words[-1].offset + words[-1].length >= 3_000 * len(piece) - 1


def test_what_stands_before_a_text_is_looked_at_and_not_read() -> None:
    alone, led = read_mandarin("12345吗"), read_mandarin("12345吗", lead="密码是abc")
    assert "".join(word.text for word in led) == "一二三四五吗"
    assert [(word.offset, word.length) for word in led] == [(word.offset, word.length) for word in alone]
    assert "".join(word.text for word in read_mandarin("737。", lead="Boeing ")) == "七三七."
    assert "".join(word.text for word in read_mandarin("100。", lead="Top ")) == "一百."


def test_a_claim_of_what_stands_before_reaches_no_further_back_than_the_text() -> None:
    for lead in ("¥", "-", "+", "电话13800", "2026年"):
        assert all(word.offset >= 0 for word in read_mandarin("138001380元", lead=lead))


def test_a_comma_keeps_a_number_apart_from_one_in_characters() -> None:
    assert joined("周五 18:30见") == "周五,十八点三十分见"
    assert joined("周日 18:30见") == "周日十八点三十分见"
