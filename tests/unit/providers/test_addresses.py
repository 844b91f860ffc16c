"""The address of a service: what is missing in it is named, and what was written never shown."""

import pytest
from pydantic import ValidationError

from gossamer.providers.searxng import SearXNG

WRONG = {
    "no scheme": ("localhost:8888", "must begin with http:// or https://, such as http://localhost:8888"),
    "no scheme and no port": ("search.example.org/searx", "must begin with http://"),
    "another scheme": ("ftp://search.example.org", "must begin with http://"),
    "a key in its place": ("sk-secret", "must begin with http://"),
    "a user name": ("http://sk-secret@search.example.org", "without a user name"),
    "no host": ("http://", "must be an http"),
}


@pytest.mark.parametrize(("address", "said"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_an_address_is_said_without_repeating_it(address: str, said: str) -> None:
    with pytest.raises(ValidationError) as refused:
        SearXNG(base_url=address)
    assert said in str(refused.value)
    assert "sk-secret" not in str(refused.value)


@pytest.mark.parametrize("address", ["", "http://localhost:8888", "https://search.example.org/searx"])
def test_a_whole_address_is_taken_as_it_is(address: str) -> None:
    assert SearXNG(base_url=address).base_url == address
