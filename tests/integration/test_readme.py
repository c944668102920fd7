"""What README.md shows does what it says, against a server with the real voice."""

from __future__ import annotations

import re
import subprocess
import sys
import wave
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from deploy.command_line import parse
from pipeline.splitter import Splitter
from pipeline.text.spoken import DEFAULT_READING, joined, spoken_form
from tests.live import LiveServer

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
SOCKET = "ws://127.0.0.1:8765/v1/stream"

PLAYED = """
async (text) => {
  const played = { seconds: 0, peak: 0, gaps: 0 };
  const start = AudioBufferSourceNode.prototype.start;
  let due = 0;
  AudioBufferSourceNode.prototype.start = function (when) {
    played.seconds += this.buffer.duration;
    for (const sample of this.buffer.getChannelData(0)) played.peak = Math.max(played.peak, Math.abs(sample));
    played.gaps += due > 0 && when > due + 1e-6 ? 1 : 0;
    due = when + this.buffer.duration;
    return start.call(this, when);
  };
  const closed = new Promise((resolve) => {
    const Original = WebSocket;
    window.WebSocket = class extends Original {
      constructor(address) { super(address); this.addEventListener('close', resolve); }
    };
  });
  say(text);
  await closed;
  return played;
}
"""
"""Calls the README's `say` and reports what it gave to the sound card until it closed the socket."""


def example(language: str, address: str) -> str:
    """Return the one example in `language`, pointed at a server under test."""
    (code,) = re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert SOCKET in code
    return str(code.replace(SOCKET, address))


def test_what_is_written_is_said_as_the_table_has_it() -> None:
    (table,) = re.findall(r"^\| written \| said \|\n\|---\|---\|\n((?:\|.*\n)+)", README, re.MULTILINE)
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()]
    assert len(rows) >= 4
    for written, said in rows:
        splitter = Splitter()
        sentences = splitter.push(written.strip("`").replace("\\|", "|")) + splitter.flush()
        forms = (joined(spoken_form(sentence.passage, "en", DEFAULT_READING)) for sentence in sentences)
        assert " ".join(forms) == said


def test_the_python_client_writes_speech(server: LiveServer, tmp_path: Path) -> None:
    code = example("python", server.socket)
    subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=tmp_path, check=True, timeout=30)
    with wave.open(str(tmp_path / "hello.wav")) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 24_000)
        assert 0.8 < file.getnframes() / 24_000 < 4
        pcm = memoryview(file.readframes(file.getnframes())).cast("h")
    assert max(map(abs, pcm)) > 3_000


@pytest.mark.browser
def test_the_javascript_client_plays_speech(server: LiveServer, chromium: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--autoplay-policy=no-user-gesture-required"]
        )
        page = browser.new_page()
        page.goto(server.page)
        page.evaluate(f"() => {{ {example('js', server.socket)} window.say = say; }}")
        played = page.evaluate(PLAYED, "Hello, this is Utter.")
        browser.close()
    assert 0.8 < played["seconds"] < 4
    assert played["peak"] > 0.1
    assert played["gaps"] <= 1


def test_the_table_of_flags_is_the_command_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["serve", "--help"], {})
    flags = set(re.findall(r"--[a-z][a-z-]+", capsys.readouterr().out)) - {"--help"}
    rows = [line for line in README.splitlines() if line.startswith("| `--")]
    assert {flag for row in rows for flag in re.findall(r"--[a-z][a-z-]+", row)} == flags
    for row in rows:
        for flag, variable in zip(
            re.findall(r"--([a-z-]+)", row), re.findall(r"UTTER_\w+", row), strict=True
        ):
            assert variable == "UTTER_" + flag.upper().replace("-", "_")


def test_every_link_leads_somewhere() -> None:
    # The pages a reader is sent to; a picture may be made later than the text.
    pages = re.findall(r"(?<!!)\[[^\]]*\]\(([^)]+)\)", re.sub("`[^`\n]*`", "", README))
    assert [page for page in pages if not (ROOT / page.partition("#")[0]).exists()] == []
