"""The commands, run as a user runs them: mistakes are one sentence, signals end a server in order."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
import wave
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

import run
from deploy.environment import CannotStart
from server.protocol import CloseCode, Done, End, Ready, Start, Started, Text, parse_server, serialize_client
from tests.live import READY, LiveServer, live_server

ROOT = Path(run.__file__).parent


@pytest.mark.parametrize(("certificate", "key"), [("a.pem", None), (None, "a.pem")])
def test_a_certificate_needs_its_key(certificate: str | None, key: str | None) -> None:
    with pytest.raises(CannotStart, match="go together"):
        run.tls_context(certificate, key)


def test_a_certificate_that_is_none_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.pem").write_text("nothing")
    with pytest.raises(CannotStart, match=r"a\.pem"):
        run.tls_context(str(tmp_path / "a.pem"), str(tmp_path / "a.pem"))
    with pytest.raises(CannotStart, match="No such file"):
        run.tls_context(str(tmp_path / "b.pem"), str(tmp_path / "b.pem"))


def test_a_log_level_that_is_none_is_one_sentence() -> None:
    with pytest.raises(CannotStart, match="UTTER_LOG must be"):
        run.start_logging("loud")


def test_the_most_talkative_log_holds_no_message_of_a_socket() -> None:
    asked = "[logging.getLogger(each).isEnabledFor(logging.DEBUG) for each in ('websockets', 'server')]"
    done = subprocess.run(
        [sys.executable, "-c", f"import logging, run; run.start_logging('debug'); print({asked})"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "[False, True]\n"


def start(*arguments: str) -> subprocess.CompletedProcess[str]:
    environ = {key: value for key, value in os.environ.items() if not key.startswith("UTTER_")}
    return subprocess.run(
        [sys.executable, str(ROOT / "run.py"), *arguments],
        env={**environ, "UTTER_NO_VENV": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("flag", ["--port", "--ws-port"])
def test_a_port_in_use_is_one_sentence_that_names_port_and_flag(flag: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        other = "--ws-port" if flag == "--port" else "--port"
        done = start("serve", "--no-browser", flag, str(port), other, "0")
    assert done.returncode == 1
    assert done.stderr == f"Port {port} on 127.0.0.1 is in use: choose another with {flag}.\n"
    assert done.stdout == ""


def test_one_line_says_where_it_speaks(server: LiveServer) -> None:
    assert "voice heart, onnxruntime on cpu, ready in " in server.ready_line
    for path in ("/healthz", "/readyz"):
        with urllib.request.urlopen(server.page + path) as response:
            assert response.status == 200


def test_a_first_signal_ends_it_in_order() -> None:
    with live_server() as running:
        assert running.stop() == 0
        with pytest.raises(urllib.error.URLError):
            urllib.request.urlopen(running.page)


def is_ready(page: str) -> bool:
    try:
        with urllib.request.urlopen(f"{page}/readyz") as response:
            return bool(response.status == 200)
    except urllib.error.HTTPError as refusal:
        with refusal:
            return False


def terminate_once_heard(running: LiveServer) -> None:
    """Send SIGTERM and return when the server has heard it: then it is not ready any more."""
    assert is_ready(running.page)
    running.process.terminate()
    while is_ready(running.page):
        pass


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[str, str]:
    """A self-signed certificate for 127.0.0.1, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make a certificate with")
    files = str(tmp_path / "cert.pem"), str(tmp_path / "key.pem")
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-out",
        files[0],
        "-keyout",
        files[1],
    ]
    name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command, *name], check=True, capture_output=True)
    return files


def test_an_encrypted_key_is_one_sentence(certificate: tuple[str, str], tmp_path: Path) -> None:
    locked = str(tmp_path / "locked.pem")
    command = ["openssl", "rsa", "-aes256", "-passout", "pass:secret", "-in", certificate[1], "-out", locked]
    subprocess.run(command, check=True, capture_output=True)
    with pytest.raises(CannotStart, match="encrypted: give one without a passphrase"):
        run.tls_context(certificate[0], locked)


async def test_page_and_socket_speak_tls_with_a_certificate(certificate: tuple[str, str]) -> None:
    trust = ssl.create_default_context(cafile=certificate[0])
    with live_server("--tls-cert", certificate[0], "--tls-key", certificate[1]) as running:
        assert running.page.startswith("https://")
        fetch(f"{running.page}/healthz", trust)
        async with connect(running.socket, ssl=trust) as client:
            await client.send(serialize_client(Start()))
            assert isinstance(parse_server(str(await client.recv())), Ready)


def fetch(address: str, trust: ssl.SSLContext) -> None:
    with urllib.request.urlopen(address, context=trust) as response:
        assert response.status == 200


async def test_what_is_being_said_when_the_signal_comes_is_said_to_the_end() -> None:
    with live_server() as running:
        async with connect(running.socket) as client:
            await client.send(serialize_client(Start(lead_ms=None)))
            await client.send(serialize_client(Text("a", "This sentence is not finished")))
            assert isinstance(parse_server(str(await client.recv())), Ready)
            assert isinstance(parse_server(str(await client.recv())), Started)
            terminate_once_heard(running)
            await client.send(serialize_client(Text("a", " yet.")))
            await client.send(serialize_client(End("a")))
            received = [message async for message in client]
        assert client.close_code == CloseCode.GOING_AWAY
        done = parse_server(str(received[-1]))
        assert isinstance(done, Done)
        assert done.samples > 0
        assert running.process.wait(10) == 0


@contextlib.contextmanager
def server_with_a_console() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a server whose standard error can be read; give it with the address of its socket."""
    command = [sys.executable, str(ROOT / "run.py"), "--no-browser", "--port", "0", "--ws-port", "0"]
    environ = {**os.environ, "UTTER_NO_VENV": "1"}
    with subprocess.Popen(
        command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            ready = READY.search(process.stdout.readline())
            assert ready is not None
            yield process, f"ws://127.0.0.1:{ready[4]}/v1/stream"
        finally:
            process.kill()


def test_a_server_that_has_nothing_to_finish_only_says_that_it_stopped() -> None:
    with server_with_a_console() as (process, _):
        process.terminate()
        assert process.communicate()[1] == "Stopped.\n"


async def test_a_server_says_what_it_waits_for_before_it_stops() -> None:
    with server_with_a_console() as (process, address):
        async with connect(address) as client:
            await client.send(serialize_client(Text("a", "This sentence is not finished")))
            assert isinstance(parse_server(str(await client.recv())), Ready)
            assert isinstance(parse_server(str(await client.recv())), Started)
            process.terminate()
            assert process.stderr is not None
            told = process.stderr.readline()
            assert told == "Finishing what is being spoken (10 s at most); once more to stop now.\n"
            await client.send(serialize_client(End("a")))
            assert [message async for message in client]
        assert process.stderr.read() == "Stopped.\n"


@pytest.mark.skipif(os.name == "nt", reason="no second SIGTERM on Windows")
async def test_a_second_signal_ends_it_at_once() -> None:
    with live_server() as running:
        async with connect(running.socket) as client:
            await client.send(serialize_client(Text("a", "This sentence is not finished")))
            await client.recv()
            terminate_once_heard(running)
            running.process.terminate()
            assert running.process.wait(5) == 128 + signal.SIGTERM


def test_say_writes_a_wav_file(tmp_path: Path) -> None:
    done = start("say", "Good morning.", "-o", str(tmp_path / "out.wav"), "--device", "cpu")
    assert (done.returncode, done.stderr) == (0, "")
    with wave.open(str(tmp_path / "out.wav")) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 24_000)
        assert 0.3 < file.getnframes() / 24_000 < 3.0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["hi", "-o", "out.mp3"], "must end in .wav"),
        (["hi", "-o", "out.wav", "--voice", "nobody"], "There is no voice named 'nobody'"),
        (["hi", "-o", "out.wav", "--speed", "9"], "speed must be"),
    ],
)
def test_what_cannot_be_said_is_one_sentence(arguments: list[str], told: str) -> None:
    done = start("say", *arguments)
    assert done.returncode == 1
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_file_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    nowhere = tmp_path / "nope" / "x.wav"
    done = start("say", "hi", "-o", str(nowhere))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"Cannot write {nowhere}: there is no folder {nowhere.parent}.\n"
    (tmp_path / "folder.wav").mkdir()
    with pytest.raises(CannotStart, match=r"Cannot write .*folder\.wav: Is a directory"):
        run.write_wav(tmp_path / "folder.wav", b"")


@pytest.mark.parametrize("what", ["first-packet", "browser", "converse", "text"])
def test_sentences_that_are_nowhere_are_one_sentence(what: str) -> None:
    done = start("bench", what, "--text", "/nope")
    assert (done.returncode, done.stderr) == (1, "Cannot read /nope: No such file or directory.\n")


def test_a_wrong_variable_is_one_sentence() -> None:
    environ = {**os.environ, "UTTER_NO_VENV": "1", "UTTER_PORT": "x"}
    command = [sys.executable, str(ROOT / "run.py")]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "UTTER_PORT must be a number from 0 to 65535, not 'x'.\n"


def test_a_text_that_cannot_be_read_makes_no_file_and_says_why(tmp_path: Path) -> None:
    done = start("say", "你好。", "-o", str(tmp_path / "out.wav"), "--device", "cpu")
    assert done.returncode == 1
    assert "cannot read '你好。'" in done.stderr
    assert "no file was written" in done.stderr
    assert not list(tmp_path.iterdir())


def test_voices_are_listed_with_their_licence() -> None:
    done = start("voices")
    assert done.returncode == 0
    assert "heart" in done.stdout
    assert "Apache-2.0" in done.stdout


def test_texts_are_split_line_by_line_whatever_the_terminals_encoding() -> None:
    line = '{"id": 7, "language": "zh", "pieces": ["你好。", "再见"]}\n'
    environ = {**os.environ, "UTTER_NO_VENV": "1", "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, str(ROOT / "run.py"), "split", "--jsonl"]
    done = subprocess.run(command, env=environ, input=line.encode(), capture_output=True, check=True)
    (answer,) = map(json.loads, done.stdout.splitlines())
    assert answer["id"] == 7
    assert [sentence["text"] for sentence in answer["sentences"]] == ["你好。", "再见"]


def test_a_line_that_is_no_text_is_one_sentence() -> None:
    environ = {**os.environ, "UTTER_NO_VENV": "1"}
    command = [sys.executable, str(ROOT / "run.py"), "split", "--jsonl"]
    done = subprocess.run(command, env=environ, input=b"\nhello\n", capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(b"line 2:")
    assert done.stderr.count(b"\n") == 1
