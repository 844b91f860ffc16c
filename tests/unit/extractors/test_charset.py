import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extractors.charset import decode, known

JAPANESE = "<p>東京の天気は晴れです。明日は雨が降るでしょう。</p>"
CHINESE = "<p>北京的天气很好，今天我们去公园散步。</p>"
GBK_META = '<head><meta http-equiv="Content-Type" content="text/html; charset=gb2312"></head>' + CHINESE
READ = {
    "GBK declared only in meta": (GBK_META.encode("gbk"), "", CHINESE),
    "GBK in meta against a Western header": (GBK_META.encode("gbk"), "iso-8859-1", CHINESE),
    "GBK in meta against a UTF-8 header": (GBK_META.encode("gbk"), "utf-8", CHINESE),
    "meta behind a kilobyte of blanks": ((" " * 5000 + GBK_META).encode("gbk"), "", CHINESE),
    "Shift_JIS in the header": (JAPANESE.encode("cp932"), "Shift_JIS", JAPANESE),
    "EUC-JP in the header": (JAPANESE.encode("euc_jp"), "EUC-JP", JAPANESE),
    "ISO-2022-JP, which passes for ASCII": (JAPANESE.encode("iso2022_jp"), "iso-2022-jp", JAPANESE),
    "UTF-8 labelled Latin-1": ("<p>Grüße 東京</p>".encode(), "iso-8859-1", "<p>Grüße 東京</p>"),
    "UTF-8 mark against another label": (b"\xef\xbb\xbf" + "café".encode(), "windows-1252", "café"),
    "UTF-16 mark": (b"\xff\xfe" + "straße".encode("utf-16-le"), "utf-8", "straße"),
    "UTF-16 by label": ("plain text".encode("utf-16-be"), "utf-16be", "plain text"),
    "UTF-16 label on UTF-8 bytes": (b"plain text", "utf-16", "plain text"),
    "unknown label": (b"plain", "does-not-exist", "plain"),
    "a codec that is no charset": (b"+ADw-", "utf-7", "+ADw-"),
    "Latin-1 means Windows Western": (b"\x93quoted\x94 na\xefve", "latin1", "“quoted” naïve"),
    "damaged UTF-8 stays UTF-8": ("東京タワー".encode() + b"\xff end", "utf-8", "東京タワー\ufffd end"),
    "few odd bytes and a label": (b"MARK \xff\xfe end", "utf-8", "MARK \ufffd\ufffd end"),
    "few odd bytes and no label": (b"caf\xe9", "", "café"),
    "a character cut in two": ("é漢".encode()[:-1], "", "é"),
    "detected Shift_JIS": (JAPANESE.encode("cp932"), "", JAPANESE),
    "a short table in Shift_JIS": ("名前,年齢\n太郎,30\n".encode("cp932"), "", "名前,年齢\n太郎,30\n"),
    "a word in Shift_JIS": ("東京".encode("cp932"), "", "東京"),
    "a few Western quotes": (b"It\x92s John\x92s \x93lamp\x94", "", "It’s John’s “lamp”"),
    "a few apostrophes": (b"It\x92s John\x92s or Ann\x92s", "", "It’s John’s or Ann’s"),
    "a few accents": (b"caf\xe9 cr\xe8me", "", "café crème"),
    "detected Cyrillic": (
        "<p>Привет, это страница о погоде.</p>".encode("cp1251"),
        "",
        "<p>Привет, это страница о погоде.</p>",
    ),
    "UTF-8 written twice, as browsers show it": (
        "A “quoted” café".encode().decode("latin-1").encode(),
        "",
        "A â\x80\x9cquotedâ\x80\x9d cafÃ©",
    ),
    "damaged GBK with its label": ((CHINESE * 40).encode("gbk") + b"\xff\xff", "gbk", CHINESE * 40),
}


@pytest.mark.promise("003.70")
@pytest.mark.parametrize(("body", "label", "expected"), READ.values(), ids=READ)
def test_a_page_is_read_in_the_charset_its_bytes_bear_out(body: bytes, label: str, expected: str) -> None:
    assert decode(body, label=label, is_html=True).startswith(expected) or expected in decode(
        body, label=label, is_html=True
    )


def test_a_meta_label_counts_in_html_alone() -> None:
    assert "北京" not in decode(GBK_META.encode("gbk")[:120], label="cp1252")


def test_labels_stand_for_their_wider_sets() -> None:
    assert [known(label) for label in ("gb2312", '"Shift_JIS"', "ASCII", "hex", "no such", "\x00")] == [
        *("gb18030", "cp932", "cp1252", "", "", "")
    ]


@given(
    st.binary(max_size=300), st.sampled_from(["", "utf-8", "gbk", "shift_jis", "utf-16", "koi8-r", "iso-2022-jp", "x"])
)
def test_any_bytes_decode_to_valid_text(body: bytes, label: str) -> None:
    decode(body, label=label, is_html=True).encode("utf-8", "surrogatepass")
