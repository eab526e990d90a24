"""What the documents show is true."""

import re
from pathlib import Path

import pytest
from shown_commands import ROOT, agrees, documents, masked, rewritten, run, shown, shown_in

BLOCK = """```console
$ echo one
one
$ echo two
```
"""


@pytest.mark.parametrize("each", shown(), ids=str)
def test_every_command_shown_does_what_is_shown(each):
    """A command or program in the documentation succeeds and prints what stands below it."""
    output = run(each)
    assert not each.output.strip() or agrees(each.output, output), f"{each} printed\n{output}"


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(document):
    """A relative link in a document names a file of the repository."""
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", document.read_text(), flags=re.DOTALL)
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)[^)]*\)", prose)
    assert [link for link in links if not (document.parent / link).exists()] == []


def test_the_readme_shows_the_two_commands():
    """`make demo` and `make test` are in the README, and they are targets."""
    readme, makefile = (ROOT / "README.md").read_text(), (ROOT / "Makefile").read_text()
    for target in ("demo", "test"):
        assert f"make {target}\n" in readme
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_commands_are_found_with_their_output():
    """A block is split into commands, each with the lines below it."""
    found = [(each.text, each.output) for each in shown_in(Path("x.md"), BLOCK)]
    assert found == [("echo one", "one\n"), ("echo two", "")]


@pytest.mark.parametrize(
    ("wanted", "output", "agreed"),
    [
        ("one\n", "one\n", True),
        ("one\n", "two\n", False),
        ("one\n", "one\ntwo\n", False),
        ("took … s\n", "took 1.25 s\n", True),
        ("took … s\n", "took 1.25 m\n", False),
        ("one\n…\n", "one\ntwo\nthree\n", True),
        ("…\nthree\n", "one\ntwo\n", False),
        ("a.b\n", "aXb\n", False),
    ],
)
def test_output_is_compared_with_room_for_what_varies(wanted, output, agreed):
    """`…` stands for any text in a line, or for any lines; everything else is literal."""
    assert agrees(wanted, output) is agreed


def test_a_failing_command_is_noticed():
    """A command that ends with an error fails, whatever it prints."""
    (each,) = shown_in(ROOT / "README.md", "```console\n$ false\n```\n")
    with pytest.raises(AssertionError, match="ended with 1"):
        run(each)


def test_rewriting_keeps_what_is_cut_and_masks_what_varies():
    """New output replaces old output, to the same length where it was cut short."""
    text = "```console\n$ printf 'a 12.5 s\\nb\\nc\\n'\nold\n…\n```\n"
    assert (
        rewritten(ROOT / "README.md", text) == "```console\n$ printf 'a 12.5 s\\nb\\nc\\n'\na … s\n…\n```\n"
    )
    assert masked("3 ms, 4 stages\n") == " … ms, 4 stages\n"
