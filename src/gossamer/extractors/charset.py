"""Charset detection: byte order mark, header, meta, statistics; valid UTF-8 is UTF-8 whatever a label says."""

import codecs
import re

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WIDER = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "utf-16": "utf-16-le",
    "utf-32": "utf-32-le",
}
"""Labels that stand for a larger set in practice, as browsers read them."""
_MULTIBYTE = frozenset({"gb18030", "cp932", "cp949", "big5hkscs", "euc_jp", "johab"})
_STATEFUL = {"iso2022_jp": b"\x1b$", "hz": b"~{"}
"""Written in ASCII bytes, so that they pass for UTF-8; the mark shows that they are meant."""
_SINGLE = frozenset(
    {f"cp{n}" for n in (437, 850, 852, 855, 862, 866, 874, *range(1250, 1259))}
    | {f"iso8859-{n}" for n in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)}
    | {"koi8-r", "koi8-u", "mac-roman", "mac-cyrillic"}
)
_KNOWN = _MULTIBYTE | _SINGLE | _STATEFUL.keys() | {"utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"}
_DETECTED = [
    *("gb18030", "cp932", "euc_jp", "cp949", "big5", "cp1251", "koi8_r", "cp1252", "cp1250", "cp1253", "cp1254"),
    *("cp1255", "cp1256", "cp874"),
]
_LABEL = re.compile(rb"<(?:meta|\?xml)[^>]{0,500}?(?:charset|encoding)\s*=\s*[\"']?\s*([-\w.:]{1,40})", re.IGNORECASE)
_MARKUP = re.compile(rb"<[^>]{0,2000}>|[\x00-\x40]{2,}")
_SJIS_PAIR = re.compile(rb"[\x81-\x83\x88-\x98][\x40-\x7e\x80-\xfc]")
"""Punctuation, kana and the more common half of the characters."""
_HEAD_BYTES = 256 * 1024
_SAMPLE_BYTES = 64 * 1024
_EVIDENCE_BYTES = 16
"""With fewer bytes beyond ASCII a guess is worth nothing."""
_DAMAGE = 0.01
"""A text with a larger share of undecodable characters is in another charset than its label says."""


def decode(body: bytes, *, label: str = "", is_html: bool = False) -> str:
    """Read bytes as text; `label` is the charset that the header names. Never fails."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    meta = _LABEL.search(body[:_HEAD_BYTES]) if is_html else None
    labels = [known(label), known(meta[1].decode("ascii", "replace")) if meta else ""]
    for name in labels:
        if _is_meant(name, body):
            return body.decode(name, "replace")
    text = _strict(body, "utf-8")
    if text is not None:
        return text
    if labels[0] in _SINGLE and labels[1] in _MULTIBYTE:
        labels.reverse()
    for name in (name for name in labels if name):
        text = _strict(body, name) or _nearly(body, name)
        if text is not None:
            return text
    return _detected(body, next(filter(None, labels), "cp1252"))


def known(label: str) -> str:
    """The codec behind a label, the wider one where they differ; empty for one that pages are not read in."""
    try:
        name = codecs.lookup(label.strip().strip("\"'").lower()).name
    except (LookupError, ValueError):
        return ""
    name = _WIDER.get(name, name)
    return name if name in _KNOWN else ""


def _is_meant(name: str, body: bytes) -> bool:
    """Whether a label that valid UTF-8 would hide is borne out by the bytes."""
    if name in _STATEFUL:
        return _STATEFUL[name] in body
    return name.startswith(("utf-16", "utf-32")) and body[:2000].count(0) * 3 > len(body[:2000])


def _strict(body: bytes, name: str) -> str | None:
    """Decode without any fault but a character cut in two at the end, where others show that the charset is right."""
    decoder = codecs.getincrementaldecoder(name)()
    try:
        text = decoder.decode(body)
    except UnicodeDecodeError:
        return None
    is_cut = bool(decoder.getstate()[0])
    return None if is_cut and text.isascii() else text


def _nearly(body: bytes, name: str) -> str | None:
    """Decode with few faults, as damaged pages of the right label have them."""
    text = body.decode(name, "replace")
    beyond = sum(1 for char in text[:_SAMPLE_BYTES] if char > "\x7f")
    faults = text[:_SAMPLE_BYTES].count("\ufffd")
    return text if faults <= max(_DAMAGE * len(text[:_SAMPLE_BYTES]), 0.1 * beyond) else None


def _detected(body: bytes, otherwise: str) -> str:
    """Guess from the first 64 KB: damaged UTF-8 when most sequences are whole, `otherwise` when nothing tells."""
    from charset_normalizer import from_bytes

    utf8 = body.decode("utf-8", "replace")
    whole = sum(1 for char in utf8[:_SAMPLE_BYTES] if char > "\x7f" and char != "\ufffd")
    if whole > utf8[:_SAMPLE_BYTES].count("\ufffd"):
        return utf8
    sample = _MARKUP.sub(b" ", body[:_SAMPLE_BYTES])
    if sum(1 for byte in sample if byte > 0x7F) < _EVIDENCE_BYTES:
        return body.decode("cp932" if _is_short_japanese(body) else otherwise, "replace")
    best = from_bytes(sample, cp_isolation=_DETECTED, enable_fallback=False).best()
    return body.decode(best.encoding if best else otherwise, "replace")


def _is_short_japanese(body: bytes) -> bool:
    """Whether the few bytes beyond ASCII are Shift_JIS: pairs of its common signs, mostly of two such bytes.

    A Western apostrophe with the letter behind it is a pair too, but its second byte is ASCII.
    """
    if _strict(body, "cp932") is None:
        return False
    pairs = _SJIS_PAIR.findall(body)
    whole = sum(1 for pair in pairs if pair[1] > 0x7F)
    beyond = sum(1 for byte in body if byte > 0x7F)
    return len(pairs) >= 2 and whole * 2 >= len(pairs) and len(pairs) + whole == beyond
