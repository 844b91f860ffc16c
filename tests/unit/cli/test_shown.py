"""What a result looks like on a terminal, which may take a part of it for a command, and elsewhere."""

import os
import pty
from contextlib import redirect_stdout

import pytest

from gossamer.cli.session import show

PAGE = "Column Ã\x9b2J\x1b[2J\x07 “word” 東京"


def test_a_terminal_gets_no_command_that_stands_in_a_page() -> None:
    main, other = pty.openpty()
    with os.fdopen(main, "rb", buffering=0) as screen, os.fdopen(other, "w", encoding="utf-8") as terminal:
        with redirect_stdout(terminal):
            show(PAGE)
            terminal.flush()
        seen = screen.read(1000).decode()
    assert seen.rstrip() == "Column Ã2J[2J “word” 東京"


def test_a_file_gets_the_text_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    show(PAGE)
    assert capsys.readouterr().out == f"{PAGE}\n"
