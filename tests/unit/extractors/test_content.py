from gossamer.extractors.html import read_html
from gossamer.model.page import View

SENTENCE = "The keeper of gate number {} said that the lamps had burned all night and that the sea was calm."


def text_of(page: str) -> str:
    return read_html(page, url="https://a.example/", view=View()).text


def test_every_post_of_a_thread_is_content() -> None:
    posts = "".join(
        f'<div class="post"><b>user{n}</b><div class="post-body"><p>{SENTENCE.format(n)}</p></div></div>'
        for n in range(1, 13)
    )
    page = (
        f"<title>Lamps</title><nav><a href=/>Forum index</a></nav><h1>Lamps at night</h1><div id=thread>{posts}</div>"
    )
    text = text_of(page)
    assert all(SENTENCE.format(n) in text for n in range(1, 13))


def test_comments_under_an_article_are_not_its_content() -> None:
    article = "".join(f"<p>{SENTENCE.format(n)}</p>" for n in range(1, 9))
    comments = "".join(f'<li class="comment"><p>I disagree entirely, reader {n}.</p></li>' for n in range(4))
    page = (
        f"<title>Lamps</title><article><h1>Lamps</h1>{article}</article>"
        f'<section id="comments" class="comments"><h2>Comments</h2><ol class="commentlist">{comments}</ol></section>'
    )
    text = text_of(page)
    assert SENTENCE.format(5) in text
    assert "I disagree entirely" not in text


def test_a_page_too_large_to_choose_from_is_cut_by_its_landmarks() -> None:
    rows = "".join(f"<p>Entry {n} of the <b>register</b> of ships.</p>" for n in range(11_000))
    text = text_of(f"<nav><p>All registers</p></nav><header><p>Banner</p></header><main><h1>Register</h1>{rows}</main>")
    assert "Entry 10999 of the **register** of ships." in text
    assert "All registers" not in text
    assert "Banner" not in text


def test_a_page_in_which_nothing_can_be_chosen_is_cut_by_its_landmarks() -> None:
    page = (
        "<body><header><p>Banner</p></header><div role=navigation>Menu</div><header><h1>Prices</h1></header>"
        "<p>Milk: 1.20</p><footer>Imprint</footer></body>"
    )
    assert text_of(page) == "# Prices\n\nMilk: 1.20"


def test_headings_code_and_rows_beside_chosen_text_stay() -> None:
    parts = "".join(
        f"<h3>Part {n}</h3><p>{SENTENCE.format(n)}</p><pre>run {n}</pre><table><tr><th>Gate</th><th>Lamp</th></tr>"
        f"<tr><td>{n}</td><td>on</td></tr><tr><td>The gate beside gate {n} in the harbour</td><td>off</td></tr></table>"
        for n in range(1, 6)
    )
    text = text_of(f"<title>Gates</title><body><nav>Menu</nav><div><h1>Gates</h1>{parts}</div></body>")
    for n in range(1, 6):
        assert f"### Part {n}\n" in text
        assert f"```\nrun {n}\n```" in text
        assert f"| {n} | on |" in text
