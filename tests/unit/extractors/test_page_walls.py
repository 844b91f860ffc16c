import pytest

from gossamer.errors import BlockPage, Denied, EmptyPage, GossamerError, NeedsScript, NotFound, Outcome
from gossamer.extractors.html import read_html
from gossamer.extractors.walls import PAYWALL_MESSAGE
from gossamer.model.page import View

PROSE = "The keeper said that the lamps had burned all night, that the sea was calm and that nobody had come. " * 12
PAID = '<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":"False"}</script>'
FORM = "<form action=/login method=post><input name=user><input type=password name=pw><button>Sign in</button></form>"
NOSCRIPT = "<noscript>You need to enable JavaScript to run this app.</noscript>"
CONSENT = (
    "<title>Before you continue</title><p>We use cookies and value your privacy. Cookie settings.</p>"
    "<button>Accept all</button><button>Reject all</button>"
)
PAYBOX = "<div class='paywall-offer'><p>Join us.</p></div>"
BANNER = "<div><p>We use cookies. Cookie settings. Consent.</p><button>Accept all</button></div>"
WALLS: dict[str, tuple[str, type[GossamerError]]] = {
    "login page": (f"<title>Sign in</title><h1>Welcome back</h1>{FORM}<p>Forgot your password?</p>", Denied),
    "nothing but a login form": (f"<title>Intranet</title>{FORM}", Denied),
    "login with much around it": (
        f"<title>Log in to Harbour</title>{FORM}<nav>{'<a href=/x>Some link</a> ' * 90}</nav>",
        Denied,
    ),
    "soft 404 by title": ("<title>404 Not Found</title><h1>Oops</h1><p>Try the search.</p>", NotFound),
    "soft 404 by heading": ("<title>Harbour</title><h1>Page not found</h1><p>It may have moved.</p>", NotFound),
    "soft 404 in Japanese": ("<title>ページが見つかりません</title><p>トップへ戻る</p>", NotFound),
    "empty script shell": (f"<title>App</title>{NOSCRIPT}<div id=root></div><script src=/m.js></script>", NeedsScript),
    "shell with a spinner": ("<div id=app><p>Loading…</p></div><script src=/m.js></script>", NeedsScript),
    "a plea for scripts": ("<p>Please enable JavaScript to view this page.</p>", NeedsScript),
    "a bare root": ("<app-root></app-root><div id=root></div>", NeedsScript),
    "consent wall": (CONSENT, BlockPage),
    "nothing": ("<html><body><p> </p></body></html>", EmptyPage),
    "only hidden text": ("<p hidden>Some words that nobody sees at all</p>", EmptyPage),
}
PAGES = {
    "article with a login form": f"<title>Lamps</title><article><h1>Lamps</h1><p>{PROSE}</p></article>{FORM}",
    "article about logins": f"<title>How to sign in safely</title><article><p>{PROSE}</p></article>",
    "article about 404 pages": f"<title>Why 404 Not Found pages matter</title><article><p>{PROSE}</p></article>",
    "short page": "<title>Hours</title><p>We open at nine and close at five on every day of the week.</p>",
    "article with a cookie banner": f"<article><p>{PROSE}</p></article>{BANNER}",
    "article with a plea for scripts": f"{NOSCRIPT}<div id=root><p>{PROSE}</p></div><script></script>",
}
FREE = "<h1>Budget</h1><p>The chancellor rose at noon.</p>"
PAYWALLS = {
    "JSON-LD": f"{PAID}<article>{FREE}</article>",
    "words": f"<article>{FREE}<h2>Subscribe to continue reading</h2></article>",
    "a box": f"<article>{FREE}{PAYBOX}</article>",
}


@pytest.mark.parametrize(("page", "error"), WALLS.values(), ids=WALLS)
def test_a_wall_or_shell_is_never_content(page: str, error: type[GossamerError]) -> None:
    with pytest.raises(error) as caught:
        read_html(page, url="https://a.example/", view=View())
    assert type(caught.value) is error
    assert caught.value.hint


def test_a_wall_is_none_with_a_selector_either() -> None:
    with pytest.raises(Denied):
        read_html(WALLS["login page"][0], url="https://a.example/", view=View(selector="h1"))


@pytest.mark.parametrize("page", PAGES)
def test_an_ordinary_page_with_the_same_words_is_content(page: str) -> None:
    result = read_html(PAGES[page], url="https://a.example/", view=View())
    assert result.outcome is Outcome.OK
    assert result.text


@pytest.mark.parametrize("page", PAYWALLS.values(), ids=PAYWALLS)
def test_the_free_part_of_a_paid_page_is_a_partial_result(page: str) -> None:
    result = read_html(page, url="https://a.example/", view=View())
    assert result.outcome is Outcome.PAYWALL
    assert "The chancellor rose at noon." in result.text
    assert result.message == PAYWALL_MESSAGE


def test_a_paid_page_that_came_whole_is_content() -> None:
    page = f"{PAID}<article><h1>Budget</h1><p>{PROSE * 4}</p></article>"
    assert read_html(page, url="https://a.example/", view=View()).outcome is Outcome.OK
