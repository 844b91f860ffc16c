"""One page for each type of structured data, each written in three ways: JSON-LD, microdata and RDFa."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any

Entity = dict[str, Any]
READER = "user99"
ABOUT = "It is told here in a few words of its own, so that somebody who comes by knows what to expect of it."
_REVIEW: Entity = {
    "@type": "Review",
    "author": {"@type": "Person", "name": READER},
    "datePublished": "2025-12-24",
    "reviewBody": "I have seen better ones.",
    "reviewRating": {"@type": "Rating", "ratingValue": "1"},
}
_RATING: Entity = {"@type": "AggregateRating", "ratingValue": "8.5", "bestRating": "10", "ratingCount": "612345"}
_ADDRESS: Entity = {
    "@type": "PostalAddress",
    "streetAddress": "1 Quay",
    "postalCode": "12345",
    "addressLocality": "Bonn",
}
_OFFER: Entity = {
    "@type": "Offer",
    "price": "24.90",
    "priceCurrency": "EUR",
    "availability": "https://schema.org/InStock",
}


def _person(*names: str) -> list[Entity]:
    return [{"@type": "Person", "name": name} for name in names]


@dataclass(frozen=True, kw_only=True)
class Case:
    """A page, and what is to be known of it."""

    entity: Entity
    facts: tuple[str, ...]
    author: str | None = None
    published: str | None = None
    around: str = ""
    """The type of page whose main entity it is."""

    @property
    def name(self) -> str:
        return self.entity.get("headline") or self.entity["name"]

    @property
    def whole(self) -> Entity:
        """The entity with what is told of it, and what a reader thinks."""
        entity = {**self.entity, "description": ABOUT, "review": _REVIEW}
        return {"@type": self.around, "name": self.name, "mainEntity": entity} if self.around else entity


CASES = {
    case.entity["@type"]: case
    for case in (
        Case(
            entity={
                "@type": "Movie",
                "name": "Dune: Part Two",
                "datePublished": "2024-03-01",
                "director": _person("Denis Villeneuve"),
                "creator": _person("Jon Spaihts"),
                "actor": _person("Timothée Chalamet", "Zendaya", "Rebecca Ferguson"),
                "aggregateRating": _RATING,
                "duration": "PT2H46M",
                "contentRating": "PG-13",
                "genre": ["Action", "Adventure"],
            },
            published="2024-03-01",
            facts=(
                "Rating: 8.5/10 (612345 ratings)",
                "Director: Denis Villeneuve",
                "Cast: Timothée Chalamet, Zendaya, Rebecca Ferguson",
                "Duration: 2 h 46 min",
                "Rated: PG-13",
                "Genre: Action, Adventure",
            ),
        ),
        Case(
            entity={
                "@type": "TVSeries",
                "name": "The Lamp Keepers",
                "datePublished": "2023-01-15",
                "creator": _person("Cy N"),
                "actor": _person("Ada L", "Bo M"),
                "numberOfSeasons": "2",
                "numberOfEpisodes": "16",
            },
            published="2023-01-15",
            facts=("Creator: Cy N", "Cast: Ada L, Bo M", "Seasons: 2", "Episodes: 16"),
        ),
        Case(
            entity={
                "@type": "Book",
                "name": "On Harbour Lamps",
                "author": _person("Ada L", "Bo M"),
                "datePublished": "2020-05-06",
                "publisher": {"@type": "Organization", "name": "Quay Press"},
                "isbn": "978-3-16-148410-0",
                "numberOfPages": "320",
                "bookFormat": "https://schema.org/Hardcover",
            },
            author="Ada L, Bo M",
            published="2020-05-06",
            facts=("Publisher: Quay Press", "ISBN: 978-3-16-148410-0", "Pages: 320", "Format: hardcover"),
        ),
        Case(
            entity={
                "@type": "MusicEvent",
                "name": "Night of the Lamps",
                "startDate": "2026-05-01T19:00:00+02:00",
                "endDate": "2026-05-01",
                "eventStatus": "https://schema.org/EventPostponed",
                "location": {"@type": "Place", "name": "Lamp Hall", "address": _ADDRESS},
                "performer": _person("The Wicks"),
                "organizer": {"@type": "Organization", "name": "Harbour Ltd"},
                "offers": _OFFER,
            },
            facts=(
                "Price: 24.90 EUR, in stock",
                "Starts: 2026-05-01 19:00 +02:00",
                "Ends: 2026-05-01",
                "Status: postponed",
                "Place: Lamp Hall, 1 Quay, 12345, Bonn",
                "Performer: The Wicks",
                "Organizer: Harbour Ltd",
            ),
        ),
        Case(
            entity={
                "@type": "Recipe",
                "name": "Fish Soup of the Quay",
                "author": _person("Ada L"),
                "datePublished": "2025-02-03",
                "prepTime": "PT20M",
                "totalTime": "PT1H20M",
                "recipeYield": "4 servings",
                "nutrition": {"@type": "NutritionInformation", "calories": "270 calories"},
                "recipeIngredient": ["500 g cod, cut into large pieces", "2 onions", "Salt"],
            },
            author="Ada L",
            published="2025-02-03",
            facts=(
                "Total time: 1 h 20 min",
                "Prep time: 20 min",
                "Serves: 4 servings",
                "Calories: 270 calories",
                "Ingredients: 500 g cod, cut into large pieces; 2 onions; Salt",
            ),
        ),
        Case(
            entity={
                "@type": "Product",
                "name": "Brass Ship Lamp",
                "brand": {"@type": "Brand", "name": "Lumen"},
                "sku": "BL-7",
                "aggregateRating": {"@type": "AggregateRating", "ratingValue": "4.6", "reviewCount": "31"},
                "offers": _OFFER,
            },
            facts=("Price: 24.90 EUR, in stock", "Rating: 4.6 (31 reviews)", "Brand: Lumen", "SKU: BL-7"),
        ),
        Case(
            entity={
                "@type": "SoftwareApplication",
                "name": "Tide Table",
                "softwareVersion": "2.3.1",
                "operatingSystem": "Linux, macOS",
                "applicationCategory": "UtilitiesApplication",
                "datePublished": "2025-06-07",
                "offers": {"@type": "Offer", "price": "0", "priceCurrency": "USD"},
            },
            published="2025-06-07",
            facts=("Price: 0 USD", "Version: 2.3.1", "Platform: Linux, macOS", "Category: UtilitiesApplication"),
        ),
        Case(
            entity={
                "@type": "JobPosting",
                "title": "Lamp Keeper",
                "name": "Lamp Keeper",
                "datePosted": "2026-01-02",
                "validThrough": "2026-03-01",
                "hiringOrganization": {"@type": "Organization", "name": "Harbour Ltd"},
                "employmentType": ["FULL_TIME"],
                "jobLocation": {"@type": "Place", "address": _ADDRESS},
                "baseSalary": {
                    "@type": "MonetaryAmount",
                    "currency": "EUR",
                    "value": {
                        "@type": "QuantitativeValue",
                        "minValue": "50000",
                        "maxValue": "60000",
                        "unitText": "YEAR",
                    },
                },
            },
            published="2026-01-02",
            facts=(
                "Employer: Harbour Ltd",
                "Salary: 50000-60000 EUR a year",
                "Employment: full time",
                "Location: 1 Quay, 12345, Bonn",
                "Apply by: 2026-03-01",
            ),
        ),
        Case(
            entity={
                "@type": "NewsArticle",
                "headline": "Harbour Lamps Are Lit Again",
                "author": _person("Ada L"),
                "datePublished": "2026-02-03T08:00:00Z",
                "dateModified": "2026-02-04",
            },
            author="Ada L",
            published="2026-02-03",
            facts=(),
        ),
        Case(
            entity={
                "@type": "Question",
                "name": "Why does a lamp smoke?",
                "author": _person("Bo M"),
                "dateCreated": "2025-08-09",
                "answerCount": "3",
                "upvoteCount": "12",
                "acceptedAnswer": {"@type": "Answer", "text": "Trim its wick.", "author": _person(READER)[0]},
            },
            around="QAPage",
            author="Bo M",
            published="2025-08-09",
            facts=("Answers: 3", "Votes: 12"),
        ),
        Case(
            entity={
                "@type": "DiscussionForumPosting",
                "headline": "Wicks that last",
                "author": _person("Cy N"),
                "datePublished": "2025-09-10",
                "commentCount": "7",
                "comment": {"@type": "Comment", "text": "None do.", "author": _person(READER)[0]},
            },
            author="Cy N",
            published="2025-09-10",
            facts=("Comments: 7",),
        ),
        Case(
            entity={
                "@type": "HowTo",
                "name": "How to trim a wick",
                "totalTime": "PT15M",
                "tool": {"@type": "HowToTool", "name": "Scissors"},
                "supply": {"@type": "HowToSupply", "name": "A new wick"},
                "step": [{"@type": "HowToStep", "text": "Blow it out."}, {"@type": "HowToStep", "text": "Cut it."}],
            },
            facts=("Total time: 15 min", "Supplies: A new wick", "Tools: Scissors", "Steps: 2"),
        ),
        Case(
            entity={
                "@type": "FAQPage",
                "name": "Questions about lamps",
                "mainEntity": [
                    {
                        "@type": "Question",
                        "name": question,
                        "acceptedAnswer": {"@type": "Answer", "text": "It depends on the oil and on the wind."},
                    }
                    for question in ("How long does it burn?", "Does it smell?")
                ],
            },
            facts=("Questions: 2",),
        ),
        Case(
            entity={
                "@type": "Restaurant",
                "name": "The Wick and Whale",
                "address": _ADDRESS,
                "telephone": "+49 228 1234",
                "openingHours": ["Mo-Fr 09:00-17:00", "Sa 10:00-14:00"],
                "priceRange": "$$",
                "aggregateRating": {"@type": "AggregateRating", "ratingValue": "4.2", "reviewCount": "80"},
            },
            facts=(
                "Rating: 4.2 (80 reviews)",
                "Address: 1 Quay, 12345, Bonn",
                "Phone: +49 228 1234",
                "Hours: Mo-Fr 09:00-17:00, Sa 10:00-14:00",
                "Price range: $$",
            ),
        ),
        Case(
            entity={"@type": "Place", "name": "The Old Light", "address": _ADDRESS, "telephone": "+49 228 5678"},
            facts=("Address: 1 Quay, 12345, Bonn", "Phone: +49 228 5678"),
        ),
        Case(
            entity={
                "@type": "Person",
                "name": "Ada Lamplighter",
                "jobTitle": "Keeper of the light",
                "worksFor": {"@type": "Organization", "name": "Harbour Ltd"},
                "birthDate": "1985-12-10",
            },
            facts=("Job: Keeper of the light", "Works for: Harbour Ltd", "Born: 1985-12-10"),
        ),
        Case(
            entity={
                "@type": "Organization",
                "name": "Harbour Lamps Ltd",
                "address": _ADDRESS,
                "telephone": "+49 228 1234",
                "foundingDate": "1820",
            },
            facts=("Address: 1 Quay, 12345, Bonn", "Phone: +49 228 1234", "Founded: 1820"),
        ),
        Case(
            entity={
                "@type": "Course",
                "name": "Keeping a light",
                "provider": {"@type": "Organization", "name": "School of the Quay"},
                "offers": _OFFER,
            },
            facts=("Price: 24.90 EUR, in stock", "Provider: School of the Quay"),
        ),
        Case(
            entity={
                "@type": "VideoObject",
                "name": "A lamp is lit",
                "uploadDate": "2025-10-11",
                "duration": "PT3M5S",
                "author": _person("Bo M"),
                "interactionStatistic": {
                    "@type": "InteractionCounter",
                    "interactionType": "https://schema.org/WatchAction",
                    "userInteractionCount": "1234",
                },
            },
            author="Bo M",
            published="2025-10-11",
            facts=("Duration: 3 min 5 s", "Views: 1234"),
        ),
        Case(
            entity={
                "@type": "MusicAlbum",
                "name": "Songs of the Quay",
                "byArtist": {"@type": "MusicGroup", "name": "The Wicks"},
                "datePublished": "2019-11-12",
                "genre": "Folk",
            },
            published="2019-11-12",
            facts=("Performer: The Wicks", "Genre: Folk"),
        ),
    )
}


def linked(entity: Entity) -> str:
    """JSON-LD in the head, as careless as pages write it: with a comma too many."""
    written = json.dumps({"@context": "https://schema.org", **entity}, ensure_ascii=False)
    return f'<script type="application/ld+json">{written[:-1]},}}</script>'


def _marked(entity: Entity, scope: Callable[[str], str], field: str, name: str = "") -> str:
    named = f' {field}="{name}"' if name else ""
    inside = "".join(
        _marked(value, scope, field, key)
        if isinstance(value, dict)
        else f'<link {field}="{key}" href="{value}">'
        if str(value).startswith("https://")
        else f'<p><span {field}="{key}">{escape(str(value))}</span></p>'
        for key, values in entity.items()
        if key != "@type"
        for value in (values if isinstance(values, list) else [values])
    )
    return f"<div{named} {scope(entity['@type'])}>{inside}</div>"


def microdata(entity: Entity) -> str:
    """The same as microdata."""
    return _marked(entity, lambda kind: f'itemscope itemtype="https://schema.org/{kind}"', "itemprop")


def rdfa(entity: Entity) -> str:
    """The same as RDFa."""
    return f'<div vocab="https://schema.org/">{_marked(entity, lambda kind: f"typeof={kind}", "property")}</div>'


WAYS = {"json-ld": linked, "microdata": microdata, "rdfa": rdfa}


def page(case: Case, way: str) -> str:
    """A page about one thing, whose reader sees its name and a text."""
    head, body = (linked(case.whole), "") if way == "json-ld" else ("", WAYS[way](case.whole))
    return f"""<!DOCTYPE html><html lang=en><head><title>{case.name} - Quay</title>
<meta property="og:site_name" content="Quay">{head}</head><body><main><h1>{case.name}</h1><p>{ABOUT} There is more to be
said about it, which stands in a second sentence for those who have the time.</p>{body}</main></body></html>"""


PAGES = {f"/{kind}/{way}": page(case, way) for kind, case in CASES.items() for way in WAYS}


def film_page(film: str) -> str:
    """The film of a page whose head says nothing of it: it is in JSON-LD, with what a reader thinks."""
    head, end, rest = film.partition("<meta name=description")
    entity = {**CASES["Movie"].whole, "description": "Paul Atreides unites with Chani and the Fremen..."}
    said = linked({"@graph": [entity, {"@type": "WebSite", "name": "IMDb"}]})
    assert end
    review = f'<aside class="user-review"><b class="author">{READER}</b> <time datetime="2025-12-24">x</time></aside>'
    return f"{head}{said}</head>{rest.partition('</head>')[2].replace('</body>', f'{review}</body>')}"
