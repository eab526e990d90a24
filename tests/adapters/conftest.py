from __future__ import annotations

import io
import sys

import pytest
from kubestow.adapters.cli import main


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs the command line in this process: exit status, standard output, standard error."""

    def call(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "argv", ["kubestow", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        status = 0
        try:
            main()
        except SystemExit as error:
            status = error.code or 0
        captured = capsys.readouterr()
        assert "Traceback" not in captured.out + captured.err
        return status, captured.out, captured.err

    return call
