"""Pages that are empty until scripts have run, or for good."""

from gossamer.errors import EmptyPage, GossamerError, NeedsScript
from gossamer.extractors.walls.blocks import besides, states
from gossamer.extractors.walls.browsers import OLD_BROWSER, OTHER_BROWSERS
from gossamer.extractors.walls.notice import Shown, Signs
from gossamer.extractors.walls.phrasing import anywhere, opening

_A_WORD = 30
_A_SIGN = 2
_SPOKEN = 600
_FIRST = 3
_JS = r"java ?script"
_WAIT = (
    r"(?:loading|wird geladen|chargement|cargando|caricamento|загрузка|読み込み中|加载中|laden)(?!\w).{0,40}$|you "
    r"are being redirected[\s.…!]*$|just a sec\w{0,4}[\s.…!]*$|(?:wait|moment)(?: a (?:moment|second)| while "
    r"[^.!?]{0,40})?[\s.…!]*$"
)
_PLEA = opening(
    rf"(?:(?:you(?:['’]ll)? (?:need|have|must)|(?:this|the|our) [\w.-]{{2,30}}|it)\b[^.!?]{{0,40}})?\b(?:enable|"
    rf"activate|turn on|allow|switch on|requires?|needs?) (?:cookies and )?{_JS}\b",
    rf"to [^.,!?]{{3,50}} you (?:need|have|must)\b[^.!?]{{0,20}}\b(?:enable|activate|turn on) {_JS}",
    rf"{_JS} (?:(?:is|was|appears to be|must be|has to be|support is) )?(?:currently )?"
    r"(?:disabled|off|not (?:available|enabled|supported)|required|enabled|needed)",
    rf"(?:we['’]?re sorry|sorry)\b[^.!?]{{0,60}}without {_JS}",
    rf"(?:this|the) [^.!?]{{0,40}}(?:without|with) {_JS} enabled",
    rf"(?:aktivieren sie |diese \w{{3,16}} benötigt )?(?:bitte )?{_JS}"
    r"(?:\W*$|[^.!?]{0,24}(?:aktivier|einschalt|erforderlich|deaktiviert|benötigt))",
    rf"activ(?:er|ez) {_JS}|{_JS} est (?:désactivé|requis|nécessaire)",
    rf"(?:habilit|activ)(?:a|e|ar|ez) (?:el |o )?{_JS}|(?:abilita|attiva)(?:re)? {_JS}",
    rf"(?:[^.!?]{{0,30}}необходимо )?включит[еь] {_JS}",
    rf"[^。.]{{0,30}}{_JS} ?(?:を有効に(?:して|する必要)|が無効|를 (?:활성화|사용))|[请請][^。]{{0,6}}(?:启用|"
    rf"啟用|开启) ?{_JS}",
    OLD_BROWSER,
    _WAIT,
)
_BROKEN = anywhere(
    r"^\W*(?:something went wrong|an? (?:unhandled|unexpected|unknown)? ?(?:error|exception) (?:has )?occurred)",
    r"(?:unable|failed|could not) to load|sorry to interrupt|^css error|^refresh$|^reload$|reverse proxy settings|"
    r"may have been blocked by your",
    OTHER_BROWSERS,
)
"""What the frame of an application says until, or because, it was not started."""
_WAITS = opening(_WAIT, r"something went wrong(?!\w).{0,60}$")


def shell(found: Signs, shown: Shown) -> GossamerError | None:
    """What is empty until scripts have run, or for good; None for a page."""
    is_empty = not shown.text.strip()
    if (_asks(found, shown) and _is_bare(shown)) or (is_empty and found.has_scripts):
        hint = _framed(found) or "Look for another source of the same information."
        told = NeedsScript("The page makes its text with scripts, which were not run.", hint=hint)
        return told.quoting(_frames(found))
    if is_empty and found.has_words and not found.frames:
        hint = "Look for another source of the same information."
        return EmptyPage("The page hides all of its text: its readers see none of it.", hint=hint)
    return empty(found) if is_empty else None


def empty(found: Signs) -> EmptyPage:
    """A page without text; where it shows other pages in frames, they are the next step."""
    hint = _framed(found)
    if hint:
        told = EmptyPage("The page holds no text of its own: it shows other pages in frames.", hint=hint)
        return told.quoting(_frames(found))
    return EmptyPage("The page holds no text to read.", hint="Check the address or look for another source.")


def _framed(found: Signs) -> str:
    """The next step; the addresses are the page's own words."""
    if not found.frames:
        return ""
    return "Fetch what is in its frame." if len(found.frames) == 1 else "Fetch what is in one of its frames."


def _frames(found: Signs) -> str:
    return " ".join(found.frames)


def _asks(found: Signs, shown: Shown) -> bool:
    """Whether scripts are asked for, or have left their room empty."""
    if found.asks_for_script or found.is_shell:
        return True
    if found.has_scripts and any(_WAITS.match(block.text) for block in shown.blocks[:_FIRST]):
        return True
    return (
        shown.weight < _SPOKEN
        and not shown.explains
        and not shown.tells
        and any(states(block.text, _PLEA) for block in shown.blocks)
    )


def _is_bare(shown: Shown) -> bool:
    """Whether nothing is told: menus and footers tell nothing, and a word under a heading tells something."""
    return besides(shown.plain, _PLEA, _BROKEN) < (_A_SIGN if shown.is_headed_beside(_PLEA) else _A_WORD)
