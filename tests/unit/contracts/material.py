"""Pages of many scripts and kinds to render, and the true number of tokens."""

import random
import re
import string
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from hypothesis import strategies as st

from gossamer.contracts.render.envelope import Envelope
from gossamer.model.page import Page, PageInfo, Passage
from gossamer.steps.text.untrusted_markers import unescape
from gossamer.steps.tokens.cursor import Cursor

KEY = b"k" * 32
NOW = 1_785_888_000.0
BUDGETS = st.integers(200, 20_000) | st.sampled_from([200, 201, 250, 333, 500, 999, 1500, 6000, 8000, 20_000])

PHRASES = {
    "English": "the keeper of the lighthouse|climbed|every evening|up the winding stairs|and lit|the great lamp|while"
    "|a cold wind|blew from the north|over the empty harbour|she wrote down|the weather|in a careful hand|about 1,250"
    " ships|passed the strait|last year|according to the report|that nobody had read|fishermen’s children|rarely",
    "German": "der Leuchtturmwärter|stieg|jeden Abend|die Wendeltreppe hinauf|und entzündete|die große Lampe|während"
    "|ein kalter Wind|aus dem Norden wehte|über den leeren Hafen|er notierte|das Wetter|mit sorgfältiger Hand|etwa 1250"
    " Schiffe|durchfuhren die Meerenge|im vergangenen Jahr|laut dem Jahresbericht|Küstenschutzverordnung|täglich",
    "Japanese": "灯台守は|毎晩|らせん階段を登り|大きなランプに|火をともして|北から吹く|冷たい風の中で|その日の天気を|"
    "丁寧に書き留めた|約1250隻の船が|昨年|海峡を通過した|報告書によれば|漁師の子どもたちは|めったに|港へ来なかった",
    "Chinese": "灯塔看守人|每天傍晚|登上盘旋的楼梯|点亮|巨大的灯|寒冷的北风|吹过空荡荡的港口|他仔细记录|当天的天气|"
    "大约1250艘船|去年|通过了海峡|根据报告|渔民的孩子们|很少|来到码头|这座城市|因为|所以|但是",
    "Arabic": "كان حارس المنارة|يصعد|كل مساء|الدرج الحلزوني|ويشعل|المصباح الكبير|بينما|تهب ريح باردة|من الشمال|فوق"
    " الميناء الخالي|ويدون|حالة الطقس|بخط دقيق|نحو 1250 سفينة|عبرت المضيق|في العام الماضي|وفقا للتقرير|أطفال الصيادين",
    "Russian": "смотритель маяка|каждый вечер|поднимался|по винтовой лестнице|зажигал|большую лампу|пока|холодный ветер"
    "|дул с севера|над пустой гаванью|он записывал|погоду|аккуратным почерком|около 1250 кораблей|прошли через пролив"
    "|в прошлом году|согласно отчёту|дети рыбаков|достопримечательность",
    "Korean": "등대지기는|매일 저녁|나선형 계단을|올라가|큰 등불을|켜고|차가운 바람이|북쪽에서|불어오는 동안|빈 항구"
    "|위에서|그날의 날씨를|꼼꼼히|기록했다|약 1250척의 배가|지난해|해협을|통과했다|보고서에 따르면|어부의 아이들은",
    "Thai": "ผู้ดูแลประภาคาร|ปีนบันไดเวียน|ทุกเย็น|จุดตะเกียง|ดวงใหญ่|ขณะที่|ลมหนาว|พัดมาจากทางเหนือ|เหนือท่าเรือ|ที่ว่างเปล่า|"
    "เขาจดบันทึก|สภาพอากาศ|อย่างละเอียด|เรือประมาณ 1250 ลำ|แล่นผ่านช่องแคบ|เมื่อปีที่แล้ว|ตามรายงาน|ลูกหลานชาวประมง",
    "Hindi": "प्रकाशस्तंभ का रखवाला|हर शाम|घुमावदार सीढ़ियाँ|चढ़ता|बड़ा दीपक|जलाता|और|ठंडी हवा|उत्तर से|बहती थी|खाली बंदरगाह"
    " पर|मौसम का हाल|ध्यान से|लिखता था|लगभग 1250 जहाज़|पिछले वर्ष|जलडमरूमध्य से|गुज़रे|रिपोर्ट के अनुसार",
}
ENDS = {"Japanese": "。", "Chinese": "。", "Hindi": "। ", "Arabic": ". ", "Thai": " "}
JOINS = {"Japanese": "、", "Chinese": "，", "Thai": ""}
CODE = (
    "def {a}({b}: int) -> list[{c}]:",
    "    return [{b} for {b} in {a}.{c}() if {b} != 0x{n:04x}]",
    "if (this.{a} && !{b}) {{ console.log(`${{{c}}}\\n`); }}",
    'const {a} = await {b}("{c}", {{ {b}: {n} }});',
    "\t{a}->{b}[{n}] += {c};  // {a} {b}",
    "}} else {{",
    "",
)
NAMES = ("data", "index", "value", "user_name", "handleClick", "request_id", "HttpClient", "i", "parse_all", "TreeNode")


def prose(dice: random.Random, script: str, chars: int) -> str:
    """Paragraphs of sentences in a script."""
    phrases, join, end = PHRASES[script].split("|"), JOINS.get(script, " "), ENDS.get(script, ". ")

    def sentence() -> str:
        said = join.join(dice.choices(phrases, k=dice.randint(3, 9)))
        return said[0].upper() + said[1:] + (end if dice.random() < 0.8 else f"{end.strip()}\n\n")

    return filled(chars, sentence)


def filled(chars: int, make: Callable[[], str]) -> str:
    """As many made pieces as it takes to have that many characters."""
    parts: list[str] = []
    size = 0
    while size < chars:
        parts.append(make())
        size += len(parts[-1])
    return "".join(parts)


def code(dice: random.Random, chars: int) -> str:
    """A fence of code."""

    def row() -> str:
        a, b, c = dice.choices(NAMES, k=3)
        return dice.choice(CODE).format(a=a, b=b, c=c, n=dice.randint(0, 9999)) + "\n"

    return f"```python\n{filled(chars, row)}```\n\n"


def table(dice: random.Random, chars: int) -> str:
    """A table with words and numbers."""
    words = [word for script in ("English", "German", "Russian") for word in PHRASES[script].split("|")]

    def row() -> str:
        first, last = dice.choices(words, k=2)
        return f"| {first} | {dice.randint(0, 10**6):,} | {dice.random():.2%} | {last} |\n"

    return f"| Name | Amount | Share | Remark |\n|---|---:|---:|---|\n{filled(chars, row)}\n"


def addresses(dice: random.Random, chars: int) -> str:
    """A list of links."""
    titles = PHRASES["English"].split("|")

    def row() -> str:
        path = "/".join("".join(dice.choices(string.ascii_lowercase + "-", k=dice.randint(3, 12))) for _ in range(3))
        return f"- [{dice.choice(titles)}](https://www.example.org/{path}?id={dice.randint(1, 10**9)})\n"

    return f"{filled(chars, row)}\n"


_SPECIAL = ["<", "[", "\\", "|", "/", '"', "\n", "\r\n", "\t", " ", "</untrusted-web-content", "<|im_end|>", "[/INST]"]
_RANGES = ((0xA0, 0x3000), (0x3000, 0xD800), (0xE000, 0x20000), (32, 127), (32, 127))


def noise(dice: random.Random, chars: int) -> str:
    """Random characters, many of them special to us."""
    return filled(
        chars, lambda: dice.choice(_SPECIAL) if dice.random() < 0.3 else chr(dice.randrange(*dice.choice(_RANGES)))
    )


def mixed(dice: random.Random, chars: int) -> str:
    """A bit of everything, noise too."""

    def part() -> str:
        size = dice.randint(20, max(21, min(chars, 1500)))
        kind = dice.choice([*PHRASES, "code", "table", "addresses", "noise"])
        maker = {"code": code, "table": table, "addresses": addresses, "noise": noise}.get(kind)
        return maker(dice, size) if maker else prose(dice, kind, size)

    return filled(chars, part)


DICE = st.integers(0, 2**32).map(random.Random)
PROSE = st.builds(prose, DICE, st.sampled_from(list(PHRASES)), st.just(1000))
TEXTS = st.builds(mixed, DICE, st.sampled_from([1, 200, 3000, 30_000])) | st.text(
    st.characters(exclude_categories=["Cs"])
)


def page(text: str, *, url: str = "https://docs.example.org/guide/", title: str = "", **more: Any) -> Page:
    """A page as the engine would hand it over."""
    info = PageInfo(author="Ada Autorin", published="2026-08-01", site_name="Example Docs")
    return replace(
        Page(url=url, final_url=url, title=title or "On lighthouses", text=text, fetched_at=NOW - 60, info=info), **more
    )


def passages(page: Page, spans: list[tuple[int, int]], query: str = "What?") -> tuple[Passage, ...]:
    """Exact spans of a page."""
    return tuple(
        Passage(
            url=page.url, title=page.title, section=("Part", f"At {start}"), start=start, end=end,
            text=page.text[start:end], score=1 / (n + 1), query=query,
        )
        for n, (start, end) in enumerate(spans)
    )  # fmt: skip


def frame(max_tokens: int, *, tool: str = "web_fetch", notes: tuple[str, ...] = (), **arguments: Any) -> Envelope:
    """A frame as a tool would make it."""
    cursor = Cursor(tool=tool, request="0badcafe", offset=0, snapshots=("0123456789ab",), arguments=arguments)
    return Envelope(max_tokens=max_tokens, notes=notes, key=KEY, now=NOW, cursor=cursor)


def steady(max_tokens: int, *, tool: str = "web_fetch") -> Envelope:
    """A frame whose marks cost the same in every run, for floors."""
    return replace(frame(max_tokens, tool=tool), nonce="41509273860527138869014721925603")


@cache
def _encoding() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the package opens its data the old way
        import bpe_openai
    return bpe_openai.get_encoding("o200k_base")


def true_tokens(text: str) -> int:
    """The tokens of a text by the tokenizer itself."""
    return len(_encoding().encode_ordinary(text))


def blocks(text: str) -> list[str]:
    """What stands between marks, as the pages had it."""
    opening = re.compile(r'<untrusted-web-content id="([0-9a-f]{32})" source="[^"]*" fetched="[^"]*">\n\n')
    found: list[str] = []
    at = 0
    while match := opening.search(text, at):
        closing = f'\n</untrusted-web-content id="{match[1]}">'
        end = text.index(closing, match.end())
        found.append(unescape(text[match.end() : end]))
        at = end + len(closing)
    return found


def outside(text: str) -> str:
    """What stands outside of all marks: our own words."""
    return re.sub(r"(?s)<untrusted-web-content id=\"([0-9a-f]{32})\".*?\n</untrusted-web-content id=\"\1\">", "", text)
