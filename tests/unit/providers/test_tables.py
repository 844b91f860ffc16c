from gossamer.providers.common.tables import table


def test_a_table_is_read_from_pairs() -> None:
    assert table("AT:austria GB:united_kingdom") == {"AT": "austria", "GB": "united kingdom"}
