"""PDF files of known layout: code, columns drawn both ways, headings, tables and lists come out as what they are."""

from collections.abc import Callable

import pytest
from reportlab.pdfgen.canvas import Canvas

from gossamer.extractors.pdf.reader import read_pdf
from gossamer.model.page import View
from tests.documents import pdf

LEFT = (
    "The keeper of the northern lamp wrote down",
    "every ship that passed, and the hour, and the",
    "colour of the water under its bow, and what",
    "the wind did to the smoke of the harbour.",
)
RIGHT = (
    "Nobody read what had been written until the",
    "lamp itself was taken away, and then it was",
    "found that the book had no last page, since",
    "the keeper of the lamp had never closed it.",
)
CODE = """\
def tide(hour):
    if hour > 6:   # after the turn
        return -1

    return 1"""
NARROW = (
    "The first of them",
    "is a narrow column,",
    "and the words in it",
    "go on line by line,",
    "as in a newspaper.",
)


def draw(*parts: tuple[float, float, str, float, str]) -> Callable[[Canvas], object]:
    """A page of texts, each with its left, its baseline, its font and its size."""

    def page(canvas: Canvas) -> None:
        for left, base, font, size, text in parts:
            canvas.setFont(font, size)
            canvas.drawString(left, base, text)

    return page


def lines(
    left: float, top: float, *texts: str, font: str = "Times-Roman", size: float = 10
) -> list[tuple[float, float, str, float, str]]:
    return [(left, top - 1.2 * size * at, font, size, text) for at, text in enumerate(texts)]


def code(left: float, top: float, text: str = CODE, *, size: float = 9) -> list[tuple[float, float, str, float, str]]:
    """Code as typesetters draw it: no empty lines, and its indentation as a place."""
    return [
        (left + 0.6 * size * (len(line) - len(line.lstrip())), top - 1.2 * size * at, "Courier", size, line.lstrip())
        for at, line in enumerate(text.splitlines())
        if line
    ]


def beside(*columns: list[tuple[float, float, str, float, str]]) -> list[tuple[float, float, str, float, str]]:
    """Columns drawn line by line."""
    return [line for row in zip(*columns, strict=True) for line in row]


ABOVE, BELOW = lines(72, 760, *LEFT), lines(72, 560, *RIGHT)
PROSE, OTHER = " ".join(LEFT), " ".join(RIGHT)
MADE: dict[str, tuple[list[tuple[float, float, str, float, str]], str]] = {
    "code with indentation, an empty line and a comment in its column": (
        [*ABOVE, *code(90, 690), *BELOW],
        f"{PROSE}\n\n```\n{CODE}\n```\n\n{OTHER}",
    ),
    "code beside the margin of the text": ([*ABOVE, *code(72, 690), *BELOW], f"{PROSE}\n\n```\n{CODE}\n```\n\n{OTHER}"),
    "one line of code by itself": (
        [*ABOVE, *code(72, 690, "make check"), *BELOW],
        f"{PROSE}\n\n```\nmake check\n```\n\n{OTHER}",
    ),
    "a line of code that ends in a hyphen": (
        [*ABOVE, *code(90, 690, "cat file | tar -xf -\nmake"), *BELOW],
        f"{PROSE}\n\n```\ncat file | tar -xf -\nmake\n```\n\n{OTHER}",
    ),
    "a line of a paragraph that is all code": (
        [*ABOVE[:2], *code(72, 760 - 24, "pkg-config --cflags tides", size=10), *lines(72, 724, *LEFT[2:])],
        f"{' '.join(LEFT[:2])} pkg-config --cflags tides {' '.join(LEFT[2:])}",
    ),
    "a term in code above its meaning": (
        [
            *code(72, 760, "--tide", size=10),
            *lines(96, 748, *LEFT),
            *code(72, 690, "--lamp", size=10),
            *lines(96, 678, *RIGHT),
        ],
        f"--tide {PROSE}\n\n--lamp {OTHER}",
    ),
    "a text typed on the whole": (
        [*code(72, 760, "\n".join(LEFT)), *code(72, 700, "\n".join(RIGHT))],
        f"{PROSE}\n\n{OTHER}",
    ),
    "columns drawn one after the other": ([*lines(60, 700, *LEFT), *lines(320, 700, *RIGHT)], f"{PROSE}\n\n{OTHER}"),
    "columns drawn line by line": (
        beside(lines(60, 700, *LEFT), lines(320, 700, *RIGHT)),
        f"{PROSE}\n\n{OTHER}",
    ),
    "columns drawn line by line below a text": (
        [*ABOVE, *lines(72, 690, *RIGHT), *beside(lines(60, 600, *LEFT), lines(320, 600, *RIGHT))],
        f"{PROSE}\n\n{OTHER}\n\n{PROSE}\n\n{OTHER}",
    ),
    **{
        f"columns drawn line by line, {gutter} points apart": (
            beside(lines(60, 700, *LEFT * 3), lines(60 + 179 + gutter, 700, *RIGHT * 3)),
            f"{PROSE} {PROSE} {PROSE}\n\n{OTHER} {OTHER} {OTHER}",
        )
        for gutter in (10, 15, 20)
    },
    "three narrow columns drawn line by line": (
        beside(lines(60, 700, *NARROW), lines(220, 700, *NARROW), lines(380, 700, *NARROW)),
        "\n\n".join([" ".join(NARROW)] * 3),
    ),
    "code in both of two columns": (
        [*lines(60, 700, *LEFT), *code(60, 630), *lines(320, 700, *RIGHT), *code(320, 630)],
        f"{PROSE}\n\n```\n{CODE}\n```\n\n{OTHER}\n\n```\n{CODE}\n```",
    ),
    "a heading": (
        [*lines(72, 780, "The northern lamp", font="Times-Bold", size=14), *ABOVE],
        f"### The northern lamp\n\n{PROSE}",
    ),
    "a larger first word": (
        [
            *[
                (72.0, 760.0, "Times-Bold", 14.0, "Note"),
                (110.0, 760.0, "Times-Roman", 10.0, "that the lamp is lit at nine."),
            ],
            *lines(72, 700, *LEFT),
        ],
        f"Note that the lamp is lit at nine.\n\n{PROSE}",
    ),
    "a larger first word, far from the second": (
        [
            *[
                (72.0, 760.0, "Times-Bold", 14.0, "Note"),
                (150.0, 760.0, "Times-Roman", 10.0, "that the lamp is lit at nine."),
            ],
            *lines(72, 700, *LEFT),
        ],
        f"Note that the lamp is lit at nine.\n\n{PROSE}",
    ),
    "a table with code in its first column": (
        [
            *ABOVE,
            *beside(
                code(72, 680, "Option\n--tide\n--lamp", size=10),
                lines(200, 680, "What it does", "Reads it", "Lights the lamp"),
            ),
        ],
        f"{PROSE}\n\n| Option | What it does |\n| --- | --- |\n| --tide | Reads it |\n| --lamp | Lights the lamp |",
    ),
    "a table of sentences": (
        [
            *ABOVE,
            *beside(
                lines(72, 680, "What the lamp does", "It burns from nine to six", "It is dark in summer"),
                lines(300, 680, "What its keeper says", "It takes a cask of oil", "I sleep when it is dark"),
            ),
        ],
        (
            f"{PROSE}\n\n| What the lamp does | What its keeper says |\n| --- | --- |\n"
            "| It burns from nine to six | It takes a cask of oil |\n| It is dark in summer | I sleep when it is dark |"
        ),
    ),
    "a list of sentences, some of two lines": (
        [
            *ABOVE,
            *lines(80, 690, "• The lamp is lit at nine and put out at six, unless"),
            *lines(90, 678, "the keeper sees a ship."),
            *lines(80, 666, "• The oil is measured."),
            *BELOW,
        ],
        (
            f"{PROSE}\n\n- The lamp is lit at nine and put out at six, unless the keeper sees a ship.\n"
            f"- The oil is measured.\n\n{OTHER}"
        ),
    ),
    "a numbered list": (
        [*ABOVE, *lines(80, 690, "1. Fill the lamp.", "2. Trim the wick.", "3. Light it."), *BELOW],
        f"{PROSE}\n\n1. Fill the lamp.\n\n2. Trim the wick.\n\n3. Light it.\n\n{OTHER}",
    ),
    "headings of three levels": (
        [
            *lines(72, 790, "Lamps", font="Times-Bold", size=18),
            *lines(72, 765, "Lamps of the north", font="Times-Bold", size=14),
            *lines(72, 745, "Of the far north", font="Times-Bold", size=12),
            *lines(72, 720, *LEFT),
            *BELOW,
        ],
        f"### Lamps\n\n#### Lamps of the north\n\n##### Of the far north\n\n{PROSE}\n\n{OTHER}",
    ),
    "a table of numbers below a heading": (
        [
            *lines(72, 780, "The oil that is left", font="Times-Bold", size=14),
            *ABOVE,
            *beside(
                lines(72, 680, "Month", "March", "April"),
                lines(200, 680, "Casks", "12", "9"),
                lines(300, 680, "Price", "4.50", "4.75"),
            ),
        ],
        (
            f"### The oil that is left\n\n{PROSE}\n\n| Month | Casks | Price |\n| --- | --- | --- |\n"
            "| March | 12 | 4.50 |\n| April | 9 | 4.75 |"
        ),
    ),
    "a list of code": (
        [*ABOVE, *lines(72, 690, "• make check", "• make test"), *BELOW],
        f"{PROSE}\n\n- make check\n- make test\n\n{OTHER}",
    ),
}


@pytest.mark.parametrize(("parts", "said"), MADE.values(), ids=MADE)
def test_a_page_comes_out_as_it_is_laid_out(parts: list[tuple[float, float, str, float, str]], said: str) -> None:
    assert read_pdf(pdf(draw(*parts)), view=View()).text == f"## Page 1\n\n{said}"


def test_headings_of_a_manual_in_one_size_stand_left_of_its_text() -> None:
    def page(thing: str) -> list[tuple[float, float, str, float, str]]:
        paragraph = [line.replace("lamp", thing).replace("the", thing) for line in (*LEFT, *RIGHT)]
        return [
            *lines(72, 780, f"{thing.upper()} SYNOPSIS", font="Times-Bold"),
            *lines(108, 768, *paragraph),
            *lines(88, 660, f"Of {thing.title()}", font="Times-Bold"),
            *lines(108, 648, *paragraph),
            *lines(108, 500, f"--{thing}", font="Times-Bold"),
            *lines(144, 488, *paragraph),
        ]

    text = read_pdf(pdf(*(draw(*page(thing)) for thing in ("boat", "tide", "wick"))), view=View()).text
    assert [line for line in text.split("\n") if line.startswith("###")] == [
        *("### BOAT SYNOPSIS", "#### Of Boat", "### TIDE SYNOPSIS", "#### Of Tide", "### WICK SYNOPSIS", "#### Of Wick")
    ]
    assert "\n\n--boat" in text


def test_a_file_of_several_pages_has_all_of_it_in_its_order() -> None:
    pages = [[*ABOVE, *code(90, 690), *BELOW], MADE["columns drawn line by line"][0], MADE["a table of sentences"][0]]
    said = [MADE["code with indentation, an empty line and a comment in its column"][1]]
    said += [MADE[name][1] for name in ("columns drawn line by line", "a table of sentences")]
    text = read_pdf(pdf(*(draw(*page) for page in pages)), view=View()).text
    assert text == "\n\n".join(f"## Page {nth}\n\n{page}" for nth, page in enumerate(said, 1))
