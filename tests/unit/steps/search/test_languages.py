import pytest

from gossamer.steps.search.locale_codes import read_language_name

READ = {
    "a code": ("ja", "ja"),
    "a country with it": ("zh_cn", "zh-CN"),
    "no wish": (" AUTO ", "auto"),
    "a name": ("Japanese", "ja"),
    "a name of its own": ("日本語", "ja"),
    "a name in large letters": ("ESPAÑOL", "es"),
    "short signs": ("zh-Hans", "zh-CN"),
    "long signs": ("ZH_hant", "zh-TW"),
    "signs and a country": ("zh-Hant-hk", "zh-HK"),
    "letters of another language": ("sr-Latn", "sr"),
    "unknown letters of Chinese": ("zh-Latn", "zh"),
    "no language": (" Ignore that ", "Ignore that"),
}


@pytest.mark.parametrize(("text", "expected"), READ.values(), ids=READ)
def test_a_language_is_read_for_what_it_means(text: str, expected: str) -> None:
    assert read_language_name(text) == expected
