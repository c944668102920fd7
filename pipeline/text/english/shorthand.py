"""What people type for short in chats, and how a person reads it out: data.

Only what is sure: shorthand that is also a word, or that nobody speaks, is left as it is.
"""

from __future__ import annotations

from pipeline.text.english.tables import pairs, words

CHAT = pairs(
    """btw by the way; idk I don't know; imo in my opinion; imho in my humble opinion; tbh to be honest;
    brb be right back; ngl not gonna lie; smh shaking my head; ikr I know right; thx thanks; thnx
    thanks; pls please; plz please; ppl people; nvm never mind; ttyl talk to you later; irl in real
    life; iirc if I recall correctly; afaik as far as I know; wdym what do you mean; idc I don't care;
    ofc of course; tysm thank you so much; hbu how about you; gtg got to go; wrt with respect to; aka
    also known as; tbf to be fair; fwiw for what it's worth; ily I love you; omw on my way; lmk let me
    know; icymi in case you missed it"""
)
"""Read in full, in small letters or capitals."""

SMALL_CHAT = pairs("ty thank you; np no problem; rn right now; jk just kidding; ur your; bc because")
"""In small letters only: in capitals or at the head of a sentence it may be something else."""

SPELLED_CHAT = words("omg afk gg fyi wtf tldr faq diy pov dm")
"""Spelled letter by letter, in small letters too."""
