"""What is left of each kind of markup, and what only looks like markup."""

from __future__ import annotations

import pytest

from pipeline.text.markup import Markup

KINDS = {
    "headings": [
        ("# One\nText", "One\nText"),
        ("## C# ##\n", "C# \n"),
        ("Title\n===\nText", "Title\n\nText"),
        ("Title\n---\nText", "Title\n\nText"),
        ("##标题\n字", "标题\n字"),
        ("#raid\n#5\n####### seven", "#raid\n#5\n####### seven"),
    ],
    "emphasis": [
        ("**a** *b* ***c*** __d__ _e_ ~~f~~", "a b c d e f"),
        ("*a **b*** **c *d* e**", "a b c d e"),
        ("**Bold**text, (*see*) “*x*”", "Boldtext, (see) “x”"),
        ("这是**重点**，**“引”**也是", "这是重点，“引”也是"),
        ("这是_重点_吧", "这是重点吧"),
        ("2 * 3, 2*3, 2 *3, (a+b)*c", "2 * 3, 2*3, 2 *3, (a+b)*c"),
        ("snake_case a_b_c f**k sh*t *.py", "snake_case a_b_c f**k sh*t *.py"),
        ("~5 minutes, ~10–~20", "~5 minutes, ~10–~20"),
        ("^_^ -_- >_< T_T", "^_^ -_- >_< T_T"),
        ("*a\n\nb* **c\n\nd**", "a\n\nb* c\n\nd**"),
    ],
    "lists": [
        ("- a\n* b\n+ c\n• d", "a\nb\nc\nd"),
        ("- [ ] a\n- [x] b\n1. [ ] c", "a\nb\n1. c"),
        ("1. a\n2) b", "1. a\n2) b"),
        ("- - a\n- > b\n- # c", "a\nb\nc"),
        ("-5 +1 *a", "-5 +1 a"),
        ("- " + "word " * 9 + "\n- b", "word " * 9 + "\n\nb"),
    ],
    "links": [
        ('[a](b) [c](<d e> "f") [g](h_(i))', "a c g"),
        ("[**a** `b`](c) [d][e] [f][]", "a b d f"),
        ("![a](b) c ![d][e] f", "c f"),
        ("[![a](b)](c) d", "d"),
        ('[a]: http://b.c "d"\ne', "\ne"),
        ("a[^1]\n\n[^1]: b", "a\n\nb"),
        ("<https://a.b/c_d> <a_b@c.de>", "https://a.b/c_d a_b@c.de"),
        ("https://a.b/c_d*e*f~~g~~ **https://a.b**", "https://a.b/c_d*e*f~~g~~ https://a.b"),
        ("[a] [b] (c) d[e][f] [1][2] [g", "[a] [b] (c) d[e][f] [1][2] [g"),
        ("[A]: Hi there.", "[A]: Hi there."),
        ("[" + "a" * 301 + "](b)", "[" + "a" * 301 + "](b)"),
        ("[a\n\nb](c)", "[a\n\nb](c)"),
        ("Wow![a](b)", "Wow!a"),
    ],
    "code": [
        ("a\n```py\nb\n```\nc", "a\n\nc"),
        ("a\n~~~\n```\n~~~\nc", "a\n\nc"),
        ("````\n```\n````\nc", "\nc"),
        ("```a``` b", "a b"),
        ("`**a**` `` b`c `` `<d>`", "**a** b`c <d>"),
        ("Here:```js\na\n``` b", "Here: b"),
        ("it`s and don`t", "it`s and don`t"),
        ("`a\n\nb`", "`a\n\nb`"),
    ],
    "tables": [
        ("| a | b |\n|---|:-:|\n| c | d |\n", "a, b\n\nc, d\n"),
        ("|a|b|\n|-|-|\n|c|d|\ntext", "a, b\n\nc, d\ntext"),
        ("a | b\n--- | ---\nc | d\n\ne | f", "a , b\n\nc, d\n\ne | f"),
        ("| a. | | b \\| c |\n|-|-|-|", "a. b | c\n"),
        ("| 姓名 | 分 |\n|---|---|", "姓名，分\n"),
        ("| a | b |\nc", "a, b\nc"),
        ("|x| + |y|, P(A | B)", "|x| + |y|, P(A | B)"),
    ],
    "quotes and rules": [
        ("> a\n> b\n\nc", "a\nb\n\nc"),
        ("> > a\n>> b", "a\nb"),
        (">5 a\n>_<", ">5 a\n>_<"),
        ("a\n\n---\n\n* * *\n\n_____\nb", "a\n\n\n\n\n\n\nb"),
        ("a  \nb\\\nc", "a  \nb\nc"),
    ],
    "html": [
        ("<b>a</b> H<sub>2</sub>O<br>b<p>c</p>", "a H2O\nb\nc\n"),
        ("<ul><li>a</li>\n<li>b</li></ul>", "a\n\nb\n"),
        ("<tr><td>a</td><td>b</td></tr>", "a, b\n"),
        ("a<script>b < c</script><style>d</style><!-- e\n\nf -->g", "ag"),
        ("<think>a\n\nb</think>c", "c"),
        ('<x y="z">a</x><w/>', "a"),
        ("10<sup>3</sup> mc<sup>2</sup> 1<sup>st</sup> word<sup>4</sup>.", "10^3 mc^2 1st word."),
        ("<!DOCTYPE html><?xml version='1.0'?>a", "a"),
        ("&amp;&lt;&#39;&#x41;&nbsp;b&zwj;&bogus;&c", "&<'A b&bogus;&c"),
        ("<3 <- a<b x<y>z <your name> <user> a<b and c>d", "<3 <- a<b x<y>z <your name> <user> a<b and c>d"),
        ("AT&T R&D; a&b", "AT&T R&D; a&b"),
    ],
    "escapes": [
        (r"\*a\* \# \_ \\", r"*a* # _ " + "\\"),
        (r"C:\Users\me \o/", r"C:\Users\me \o/"),
    ],
    "formulas": [
        ("$x^2$, $$y^3$$ and \\(z_1\\)", "x squared, y cubed and z 1"),
        ("\\[ \\frac{a}{b} \\times \\sqrt{c} \\]", "a over b times square root of c"),
        ("$\\frac{\\frac{a}{b}}{c^{n}}$ $\\frac12$", "a over b over c to the n 1 over 2"),
        ("$\\alpha \\leq 90^\\circ$", "alpha is less than or equal to 90 degrees"),
        ("$\\text{a word} = v_{max}$", "a word = v max"),
        ("$Speed = \\frac{Way}{Time}$ \\(Area = l \\times w\\)", "Speed = Way over Time Area = l times w"),
        ("$5 and $10, $5-$10, US$5, $1.50/$2", "$5 and $10, $5-$10, US$5, $1.50/$2"),
        ("$5 or $x, $AAPL and $TSLA, $", "$5 or $x, $AAPL and $TSLA, $"),
        ("\\(plain words\\) and \\[more\\]", "(plain words) and [more]"),
    ],
    "unseen": [
        ("\ufeffa\u200bb\u00adc\u202ed\u0007", "abcd"),
        ("a\xa0b\r\nc\rd", "a b\nc\nd"),
        ("👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3", "👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3"),
        ("🏴\U000e0067\U000e007f", "🏴\U000e0067\U000e007f"),
        ("a\u200db\ufe0f\U000e0041\U000e0042c", "abc"),
        ("１２，ＡＢ", "１２，ＡＢ"),
    ],
}


def cleaned(text: str) -> str:
    markup = Markup()
    return (markup.push(text) + markup.flush()).text


@pytest.mark.parametrize(
    ("text", "left"), [pytest.param(*case, id=kind) for kind, cases in KINDS.items() for case in cases]
)
def test_what_is_left(text: str, left: str) -> None:
    assert cleaned(text) == left


def test_a_line_wrapped_at_a_margin_stays_one_though_its_link_is_short() -> None:
    text = "See [the guide](https://example.com/a/long/address) for\nmore."
    assert cleaned(text) == "See the guide for more."
    assert cleaned(text.replace("more", "More")) == "See the guide for\nMore."
