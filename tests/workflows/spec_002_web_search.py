"""The four use cases of specification 002, `web_search`, on the little web.

python -m tests.workflows.spec_002_web_search
"""

import sys
from typing import Any

from tests.workflows.talk import Talk, run

CASES: dict[str, tuple[dict[str, Any], str, dict[str, str]]] = {
    "Technical research": (
        {"query": "rust async sqlx database connection pooling", "category": "it", "results_count": 15,
         "fetch_content": True, "time_range": "year"},
        "http://docs.rs/sqlx/struct.Pool.html",
        {"categories": "it", "time_range": "year"},
    ),
    "Current events and news": (
        {"query": "latest rust language updates 2024", "category": "news", "results_count": 10, "time_range": "month"},
        "http://blog.rust-lang.org/2023/12/28/Rust-1.75.0.html",
        {"categories": "news", "time_range": "month"},
    ),
    "Documentation discovery": (
        {"query": "site:docs.rs serde deserialize custom format", "category": "general", "results_count": 8,
         "fetch_content": True},
        "http://docs.rs/serde/custom.html",
        {"categories": "general"},
    ),
    "Quick fact checking": (
        {"query": "rust 1.75 release date new features", "results_count": 5, "fetch_content": False},
        "http://blog.rust-lang.org/2023/12/28/Rust-1.75.0.html",
        {"categories": "general"},
    ),
}  # fmt: skip
"""What the specification asks, what must be found, what the instance must be asked."""


async def story(talk: Talk) -> None:
    """Specification 002: four use cases of `web_search`, over a SearXNG instance."""
    for name, (arguments, address, parameters) in CASES.items():
        print(f"\n## {name}")
        told = await talk.call("web_search", **arguments)
        asked = talk.web.of("searxng")[-1].parameters
        [first] = told["results"][:1] or [{}]
        talk.expect("the instance was asked as the specification means it", when=parameters.items() <= asked.items())
        talk.expect(f"{address} is found", when=first.get("url") == address)
        talk.expect("the result names the instance", when=told["instance_used"].endswith("/searxng"))
        if arguments.get("fetch_content", True):
            content = first.get("content", {})
            talk.expect("its page was read", when=content.get("word_count", 0) > 5 and bool(content["summary"]))
        else:
            talk.expect("no page was opened", when="content" not in first and not talk.web.visits(address)[1:])
    pool = await talk.call("web_search", query="rust async sqlx database connection pooling", category="it")
    talk.expect(
        "code keeps its lines", when="    .max_connections(5)" in str(pool["results"][0]["content"]["markdown"])
    )


if __name__ == "__main__":
    sys.exit(run(story, tools="core"))
