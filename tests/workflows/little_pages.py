"""The pages of the little web, and which of them each query finds."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    """A page, and what a search service says of it."""

    address: str
    title: str
    snippet: str
    published: str | None = None
    body: str = ""
    """What stands between `<body>` and `</body>`; nothing: the page is found and not there."""
    head: str = ""
    edition: int = 1

    @property
    def html(self) -> str:
        """The whole page."""
        return (
            f"<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>{self.title}</title>{self.head}</head>"
            f"<body>{self.body}</body></html>"
        )


def _article(title: str, *paragraphs: str) -> str:
    text = "".join(one if one.startswith("<") else f"<p>{one}</p>" for one in paragraphs)
    return f"<nav><a href=/>Home</a></nav><main><article><h1>{title}</h1>{text}</article></main><footer>Terms</footer>"


FILMS = (
    Page(
        "https://www.imdb.com/title/tt15239678/releaseinfo/",
        "Dune: Part Two (2024) - Release Info - IMDb",
        "Dune: Part Two was released on March 1, 2024 in the United States. The film premiered at the 74th Berlin "
        "International Film Festival on February 15, 2024.",
        "2024-02-20",
    ),
    Page(
        "https://www.dunemovie.com/",
        "Dune: Part Two | Official Website | March 1, 2024",
        "Experience Dune: Part Two, the epic continuation of Denis Villeneuve's adaptation of Frank Herbert's novel. "
        "In theaters March 1, 2024.",
    ),
    Page(
        "https://en.wikipedia.org/wiki/Dune:_Part_Two",
        "Dune: Part Two - Wikipedia",
        "Dune: Part Two is a 2024 American epic science fiction film. The theatrical release was originally scheduled "
        "for November 3, 2023, but was delayed...",
        "2024-03-15",
    ),
    Page(
        "http://www.imdb.com/title/tt15239678/",
        "Dune: Part Two (2024) - IMDb",
        "Paul Atreides unites with Chani and the Fremen.",
        "2024-03-01",
        _article(
            "Dune: Part Two",
            "<p><strong>2024</strong> · PG-13 · 2h 46m</p>",
            "Paul Atreides unites with Chani and the Fremen while seeking revenge against the conspirators who "
            "destroyed his family.",
            "<h2>Cast</h2><ul><li><a href=/name/nm3154303/>Timothée Chalamet</a> as Paul Atreides</li>"
            "<li><a href=/name/nm3918035/>Zendaya</a> as Chani</li><li>Rebecca Ferguson as Lady Jessica</li>"
            "<li>Josh Brolin as Gurney Halleck</li></ul>",
        ),
        '<meta name=description content="Paul Atreides unites with Chani and the Fremen...">'
        '<meta property="og:site_name" content="IMDb">'
        '<meta property="article:published_time" content="2024-03-01">',
    ),
    Page(
        "http://www.imdb.com/title/tt3581920/fullcredits/",
        "The Last of Us (TV Series) - Full cast & crew - IMDb",
        "Cast: Pedro Pascal, Bella Ramsey, Gabriel Luna.",
        body="<h1>The Last of Us</h1><p>All that took part, from the first season on.</p><table class=cast_list>"
        "<tr><th>Actor</th><th>Role</th></tr><tr><td>Pedro Pascal</td><td>Joel Miller</td></tr>"
        "<tr><td>Bella Ramsey</td><td>Ellie Williams</td></tr></table>",
    ),
    Page(
        "http://streaming.example.org/oppenheimer",
        "Where to watch Oppenheimer",
        "Oppenheimer is available on Peacock and for purchase on Amazon Prime and Apple TV+.",
        "2024-02-16",
    ),
    Page(
        "http://news.example.org/shogun",
        "Shogun renewed",
        "FX announced that Shogun has been renewed for seasons 2 and 3.",
        "2024-05-16",
    ),
)
CODE = (
    Page(
        "http://github.com/qbittorrent/qBittorrent/wiki/WebUI-API",
        "WebUI API · qbittorrent/qBittorrent Wiki · GitHub",
        "All Web API methods follow the format /api/v2/APIName/methodName.",
        body=_article(
            "WebUI API",
            "All Web API methods follow the same format: <code>/api/v2/APIName/methodName</code>.",
            "<h2>Authentication</h2>",
            "Log in first; the cookie <code>SID</code> is to be sent with every later request.",
            "<pre><code class=language-sh>curl -i --data 'username=admin&amp;password=adminadmin' \\\n"
            "  http://localhost:8080/api/v2/auth/login\n</code></pre>",
        ),
    ),
    Page(
        "http://doc.rust-lang.org/book/ch16-00-concurrency.html",
        "Async Programming in Rust - The Rust Book",
        "Learn about asynchronous programming in Rust with async/await syntax...",
        body=_article(
            "Async Programming in Rust",
            "Rust's approach to async programming is built on futures, which are values that can be asked for a "
            "result.",
            "An async function returns a future, and nothing runs until somebody awaits it.",
        ),
    ),
    Page(
        "http://tokio.rs/",
        "Tokio - An asynchronous Rust runtime",
        "Tokio is an asynchronous runtime for the Rust programming language...",
        body=_article(
            "Tokio",
            "A runtime for writing reliable, asynchronous and slim applications with the Rust programming language.",
            "Tokio provides the runtime and libraries needed for async Rust applications.",
        ),
    ),
    Page(
        "http://docs.rs/sqlx/struct.Pool.html",
        "Pool in sqlx - Rust",
        "An asynchronous pool of SQLx database connections.",
        body=_article(
            "Pool in sqlx",
            "An asynchronous pool of SQLx database connections. Connections are returned to the pool when they are "
            "dropped.",
            "<pre><code class=language-rust>let pool = PgPoolOptions::new()\n    .max_connections(5)\n"
            "    .connect(url)\n    .await?;\n</code></pre>",
        ),
    ),
    Page(
        "http://docs.rs/serde/custom.html",
        "Custom deserialization - serde",
        "Implementing Deserialize by hand for a format of one's own.",
        body=_article(
            "Custom deserialization",
            "A type that cannot derive Deserialize implements it by hand, with a visitor that says what it expects.",
        ),
    ),
    Page(
        "http://blog.rust-lang.org/2023/12/28/Rust-1.75.0.html",
        "Announcing Rust 1.75.0 | Rust Blog",
        "Rust 1.75.0 was released on December 28, 2023, with async fn and return-position impl Trait in traits.",
        "2023-12-28",
        _article("Announcing Rust 1.75.0", "Rust 1.75.0 brings async functions and impl Trait in traits."),
    ),
)
FERRIES = Page(
    "http://ferries.example.org/guide",
    "Island ferries",
    "When the ferries leave, and what they cost.",
    body=_article(
        "Island ferries",
        "Everything that travellers should know before they set out.",
        "<h2>Timetable</h2>",
        "The ferry to the island leaves the old harbour at noon and again at six in the evening.",
        "<h2>Tickets</h2>",
        "A ticket costs four euros, and children under twelve travel without paying.",
    ),
)
PAID = Page(
    "http://paywalled-site.com/article",
    "Premium Article Title",
    "This article requires a subscription...",
    body="<article><h1>Premium Article Title</h1><p>This article requires a subscription. It begins with the first "
    "lines that anybody may read before the rest is kept for those who pay.</p></article>",
    head='<script type="application/ld+json">{"@type": "NewsArticle", "headline": "Premium Article Title", '
    '"isAccessibleForFree": false}</script>',
)
BY_ADDRESS = {page.address: page for page in (*FILMS, *CODE, FERRIES, PAID)}
_IMDB, _OFFICIAL, _WIKIPEDIA, _FILM, _CAST, _STREAMS, _SHOGUN = (page.address for page in FILMS)
_TORRENT, _BOOK, _TOKIO, _POOL, _SERDE, _RELEASE = (page.address for page in CODE)
FOUND: dict[str, tuple[str, ...]] = {
    "Dune Part Two release date": (_IMDB, _OFFICIAL, _WIKIPEDIA),
    "Dune Part Two release date 2024": (_IMDB, _OFFICIAL, _WIKIPEDIA),
    "The Last of Us TV series cast": (_CAST, _STREAMS),
    "Oppenheimer streaming where to watch 2024": (_STREAMS,),
    "qBittorrent Web API documentation": (_TORRENT,),
    "Shogun FX season 2 news": (_SHOGUN,),
    "rust async programming": (_BOOK, _TOKIO),
    "rust async sqlx database connection pooling": (_POOL, _TOKIO),
    "latest rust language updates 2024": (_RELEASE,),
    "serde deserialize custom format": (_SERDE, _BOOK),
    "rust 1.75 release date new features": (_RELEASE,),
    "When does the ferry leave the harbour?": (FERRIES.address,),
    "island ferries": (FERRIES.address,),
}
