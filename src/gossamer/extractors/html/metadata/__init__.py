"""Page metadata: title, author, dates, price, from meta tags, OpenGraph, JSON-LD and microdata."""
