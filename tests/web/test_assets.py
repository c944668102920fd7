"""What is served from the folder, and what never is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from web.assets import load_assets
from web.site import STATIC_DIR


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "static"
    (root / "vendor").mkdir(parents=True)
    (root / "index.html").write_text("<!doctype html>", encoding="utf-8")
    (root / "vendor" / "decoder.js").write_text("export {};", encoding="utf-8")
    return root


def test_files_are_keyed_by_their_url_path_and_the_root_is_the_index(folder: Path) -> None:
    assets = load_assets(folder)
    assert set(assets) == {"/", "/index.html", "/vendor/decoder.js"}
    assert assets["/"] is assets["/index.html"]
    assert assets["/vendor/decoder.js"].body == b"export {};"
    assert assets["/vendor/decoder.js"].content_type == "text/javascript; charset=utf-8"


def test_hidden_files_and_other_kinds_are_left_out(folder: Path) -> None:
    (folder / ".secret.js").write_text("1", encoding="utf-8")
    (folder / ".git").mkdir()
    (folder / ".git" / "config.js").write_text("1", encoding="utf-8")
    (folder / "key.pem").write_text("1", encoding="utf-8")
    assert set(load_assets(folder)) == {"/", "/index.html", "/vendor/decoder.js"}


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_that_leads_outside_is_left_out(folder: Path) -> None:
    outside = folder.parent / "outside.js"
    outside.write_text("1", encoding="utf-8")
    (folder / "link.js").symlink_to(outside)
    assert "/link.js" not in load_assets(folder)


def test_the_tag_follows_the_bytes(folder: Path) -> None:
    before = load_assets(folder)["/"].etag
    assert load_assets(folder)["/"].etag == before
    (folder / "index.html").write_text("<!doctype html><p>", encoding="utf-8")
    assert load_assets(folder)["/"].etag != before


def test_a_folder_without_an_index_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no index\.html"):
        load_assets(tmp_path)


def test_every_file_the_browser_may_ask_for_can_be_served() -> None:
    assets = load_assets(STATIC_DIR)
    for_tools = {".ts", ".gitattributes"}
    on_disk = {path for path in STATIC_DIR.rglob("*") if path.is_file()}
    wanted = {path for path in on_disk if not for_tools & {path.suffix, path.name}}
    assert {f"/{path.relative_to(STATIC_DIR).as_posix()}" for path in wanted} == set(assets) - {"/"}
