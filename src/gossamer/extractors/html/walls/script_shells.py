"""Script shells: pages that are empty until scripts have run, or for good, or in a browser that they do not serve."""

from gossamer.errors import EmptyPage, GossamerError, NeedsScript
from gossamer.extractors.html.walls.evidence import Shown, Signs
from gossamer.extractors.html.walls.phrases import anywhere, either, opening
from gossamer.extractors.html.walls.visible_texts import besides, states

OLD_BROWSER = either(
    r"(?:sorry, )?(?:your|this|the) (?:current |web )?browser(?: version)? (?:is|appears to be|seems to be) (?:(?:no "
    r"longer|not) (?:fully |currently |yet )?supported|(?:too |very )?old|out[ -]of[ -]date|outdated|incompatible|"
    r"unsupported)|(?:your|this) (?:web )?browser (?:doesn['’]t|does not|cannot) support",
    r"(?:it (?:looks|seems) like )?you(?:['’]re| are) (?:using|on) an? (?:outdated|old|older|unsupported|incompatible)"
    r"(?: version of)?(?: your| web){0,2} browser|we (?:no longer|do not|don['’]t) support (?:your|this)[\w ]{0,20} "
    r"browser",
    r"(?:upgrade|update)(?: to)? (?:your|a (?:newer|modern|supported|different)) (?:web )?browser|(?:switch|change) to "
    r"a (?:newer|modern|supported|different) (?:web )?browser|(?:unsupported|outdated) browser\W*$|browser not "
    r"supported",
    r"(?:ihr|dein|dieser) (?:web)?browser (?:ist (?:leider )?(?:veraltet|zu alt|nicht kompatibel)|wird (?:leider "
    r")?nicht (?:mehr )?unterstützt)|(?:web)?browser nicht unterstützt|(?:aktualisieren sie|aktualisiere) (?:bitte "
    r")?(?:ihren|deinen) (?:web)?browser|veralteter browser\W*$",
    r"votre navigateur (?:n['’]est (?:pas|plus) (?:pris en charge|supporté|compatible|à jour)|est (?:obsolète|trop "
    r"ancien|périmé))|mett(?:ez|re) à jour votre navigateur",
    r"navigateur (?:obsolète|non (?:supporté|pris en charge|compatible))\W*$|navegador (?:no (?:compatible|soportado)|"
    r"desactualizado|não (?:suportado|compatível)|desatualizado)\W*$|browser non (?:supportato|compatibile)\W*$|"
    r"браузер (?:не поддерживается|устарел)\W*$",
    r"(?:tu|su|este) navegador (?:no es compatible|no está soportado|está (?:desactualizado|obsoleto))|"
    r"actuali[cz][ae] (?:tu|su) navegador",
    r"(?:o )?(?:seu|este) navegador (?:não é (?:compatível|suportado)|está (?:desatualizado|obsoleto))|atualize (?:o )?"
    r"seu navegador",
    r"(?:il tuo|questo) browser (?:non è (?:supportato|compatibile|aggiornato)|è (?:obsoleto|troppo vecchio))|"
    r"aggiorna (?:il (?:tuo )?)?browser",
    r"(?:uw|je|jouw|deze) browser (?:wordt niet (?:meer )?ondersteund|is verouderd)|(?:werk|update) (?:uw|je) browser",
    r"(?:twoja|ta) przeglądarka (?:nie jest (?:już )?obsługiwana|jest (?:nieaktualna|przestarzała))|zaktualizuj "
    r"(?:swoją )?przeglądarkę|tarayıcınız (?:güncel değil|desteklenmiyor)|tarayıcınızı güncelle",
    r"ваш браузер (?:устарел|не поддерживается)|обновите (?:ваш |свой )?браузер",
    r"(?:お使い|ご利用|ご使用)の(?:ブラウザー?|環境)[^。]{0,16}(?:サポート|対応|推奨)|"
    r"最新(?:版)?の(?:ブラウザ|バージョン)",
    r"(?:您|你)?(?:的|当前|使用的){0,3}(?:浏览器|瀏覽器)(?:版本)?(?:过低|過低|太旧|过旧|不受支持|不支持)|"
    r"[请請](?:升级|更新|使用|升級)[^。]{0,10}(?:浏览器|瀏覽器)",
    r"(?:사용 중인 |이 )?브라우저(?:는|가) (?:지원되지|더 이상|오래)|브라우저를 (?:업데이트|업그레이드)",
)
"""Sentences by their beginnings."""
OTHER_BROWSERS = either(
    r"^\W*(?:for (?:the|a) (?:best|better|full) experience\b|we (?:recommend|suggest) (?:using|the latest)|(?:try|use|"
    r"choose) one of (?:these|the following)|(?:please )?(?:use|try|install|download|get) (?:the latest|a (?:recent|"
    r"current|newer|different))\b|(?:you can )?(?:see|view|find|here is) (?:a|the) list of supported browsers)",
    r"^\W*(?:bitte )?(?:(?:ver|be)nutzen|verwenden|installieren) sie (?:bitte )?eine?n? (?:aktuelle|neuere|andere)|"
    r"^\W*(?:veuillez |merci d['’])?(?:utilise[zr]|installe[zr]) (?:une version|un (?:autre )?navigateur)|^\W*(?:usa|"
    r"use|utilice|utiliza|instala) (?:una versión|uma versão|un navegador|um navegador)|^\W*(?:usa|utilizza|installa) "
    r"(?:una versione|un browser)|^\W*(?:используйте|установите)\b",
    r"^\W*(?:(?:the latest (?:version )?of )?(?:google|chrome|mozilla|firefox|microsoft|edge|apple|safari|opera|brave|"
    r"or|and|und|et|y)\b\W*){1,9}$",
)
"""Beside them: which ones would do."""
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


def script_shell(signs: Signs, shown: Shown) -> GossamerError | None:
    """What is empty until scripts have run, or for good; None for a page."""
    is_empty = not shown.text.strip()
    if (_asks(signs, shown) and _is_bare(shown)) or (is_empty and signs.has_scripts):
        hint = _framed(signs) or "Look for another source of the same information."
        error = NeedsScript("The page makes its text with scripts, which were not run.", hint=hint)
        return error.quoting(_frames(signs))
    if is_empty and signs.has_words and not signs.frames:
        hint = "Look for another source of the same information."
        return EmptyPage("The page hides all of its text: its readers see none of it.", hint=hint)
    return empty_page(signs) if is_empty else None


def empty_page(signs: Signs) -> EmptyPage:
    """A page without text; where it shows other pages in frames, they are the next step."""
    hint = _framed(signs)
    if hint:
        error = EmptyPage("The page holds no text of its own: it shows other pages in frames.", hint=hint)
        return error.quoting(_frames(signs))
    return EmptyPage("The page holds no text to read.", hint="Check the address or look for another source.")


def _framed(signs: Signs) -> str:
    """The next step; the addresses are the page's own words."""
    if not signs.frames:
        return ""
    return "Fetch what is in its frame." if len(signs.frames) == 1 else "Fetch what is in one of its frames."


def _frames(signs: Signs) -> str:
    return " ".join(signs.frames)


def _asks(signs: Signs, shown: Shown) -> bool:
    """Whether scripts are asked for, or have left their room empty."""
    if signs.asks_for_script or signs.is_shell:
        return True
    if signs.has_scripts and any(_WAITS.match(block.text) for block in shown.blocks[:_FIRST]):
        return True
    return (
        shown.weight < _SPOKEN
        and not shown.explains
        and not shown.tells
        and any(states(block.text, _PLEA) for block in shown.blocks)
    )


def _is_bare(shown: Shown) -> bool:
    """Whether the page has no content: menus and footers are none, and one word under a heading is some."""
    return besides(shown.plain, _PLEA, _BROKEN) < (_A_SIGN if shown.is_headed_beside(_PLEA) else _A_WORD)
