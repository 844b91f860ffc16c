"""Soft 404s: parked domains, servers without a site, pages that say that they are not there or not now."""

from gossamer.errors import GossamerError, NotFound, Unreachable
from gossamer.extractors.html.walls.bot_block_phrases import FINE_PRINT
from gossamer.extractors.html.walls.evidence import Shown, Signs
from gossamer.extractors.html.walls.phrases import (
    ADDRESS,
    DEFAULT_HEAD,
    DEFAULT_SAYS,
    DEFAULT_TITLE,
    DOMAIN,
    OF_DOMAINS,
    PARKING_MARK,
    SALE,
    SALE_CONTROL,
    SALE_HEAD,
    SALE_SAID,
    SPONSORED,
    anywhere,
    opening,
    whole,
)
from gossamer.extractors.html.walls.visible_texts import TextBlock, besides, prose, says, states, weigh

LOST_HEAD = whole(
    r"(?:no (?:encontramos|hemos encontrado)|não encontramos|non (?:abbiamo trovato|troviamo)|nous n['’](?:avons "
    r"pas trouvé|trouvons pas)) .{0,40}(?:página|pagina|page).{0,40}",
    r"cannot (?:get|post) /\S{0,200}|there['’]?s nothing here(?:,? yet)?|no such (?:app|page|site|user|file)",
    r"there (?:aren['’]t|are no|isn['’]t|is no) .{1,60}(?:with that name|here|at this address)",
    r"(?:(?:error|fehler|erreur|errore|erro|ошибка|błąd|エラー|chyba|hata|错误|오류|fel|fout)[ :]{0,3})?404(?:[ "
    r":,.–—|-]{0,3}(?:error|fehler|erreur|errore|erro|ошибка|błąd|エラー|错误))?",
    r"(?:(?:http )?(?:error |status )?404[ :,.–—|-]{0,4}(?:error[ :–-]{0,3})?)?(?:the |this |that |your |"
    r"requested |web|site )*(?:page|content|document|url|article|file|post|link|resource|address|story|video|"
    r"account|profile|user|listing|ad|advert|job|item|product|event|topic|thread|channel|question|image|photo|"
    r"recipe|offer|group|website|site|domain)?(?: you.{1,40}?)?(?: (?:was|is|were|are))?(?: ?(?:not|can(?:no|"
    r"['’])t be|could(?:n['’]t| not) be) found| (?:is(?:n['’]t| not)|no longer|not) (?:available|here)(?: right "
    r"now| at the moment| any ?more)?| no longer exists| does(?:n['’]t| not) exist| missing| unavailable| has "
    r"been (?:removed|deleted|suspended)| has expired| suspended)(?:[ :,(–-]{0,3}(?:error )?404\)?)?",
    r"(?:we|i) (?:can(?:['’]t|not)|could(?:n['’]t| not)) find (?:the|that|this|what).{0,40}|nothing (?:was "
    r")?found(?: here)?",
    r"(?:die |diese )?(?:angeforderte |gesuchte |gewünschte )?seite (?:wurde |konnte |ist )?(?:leider )?(?:nicht "
    r"(?:gefunden|verfügbar|vorhanden)(?: werden)?|existiert nicht|gibt es (?:leider )?nicht(?: mehr)?)",
    r"(?:la |cette )?page (?:demandée |que vous .{1,30} )?(?:est )?(?:introuvable|non trouvée|n['’](?:existe "
    r"(?:pas|plus)|a pas été trouvée))",
    r"(?:la |esta )?página (?:solicitada )?(?:no (?:encontrada|existe|se ha encontrado|se encuentra|disponible)|"
    r"que .{1,30} no existe)",
    r"(?:esta |a )?página (?:não (?:encontrada|existe|foi encontrada|está disponível))|página inexistente",
    r"(?:la )?pagina (?:non (?:trovata|esiste|disponibile)|richiesta non .{1,30})",
    r"(?:de )?pagina (?:is )?niet (?:gevonden|beschikbaar)|deze pagina bestaat niet(?: meer)?|sidan (?:hittades "
    r"inte|finns inte)",
    r"siden (?:blev ikke fundet|ble ikke funnet|finnes ikke|findes ikke)|sivua ei (?:löytynyt|löydy)",
    r"nie znaleziono strony|strony nie znaleziono|strona nie (?:została znaleziona|istnieje)",
    r"(?:stránka (?:nenalezena|nebyla nalezena|neexistuje))|sayfa bulunamadı|aradığınız sayfa bulunamadı",
    r"(?:(?:запрашиваемая )?страница не (?:найдена|существует))|сторінку не знайдено|η σελίδα δεν βρέθηκε",
    r".{0,20}(?:ページ|ファイル)(?:が|は)(?:見つかりません(?:でした)?|存在しません|ありません)|"
    r"お探しのページは.{0,30}",
    r".{0,10}(?:页面不存在|找不到(?:该)?页面|页面未找到|无法找到(?:该|此)?(?:网页|页面)|找不到網頁|頁面不存在|"
    r"您(?:访问|要找|请求)的页面.{0,20})",
    r".{0,10}페이지를 찾을 수 없습니다|không tìm thấy trang|halaman tidak ditemukan|ไม่พบหน้า.{0,20}|الصفحة غير "
    r"موجودة|הדף לא נמצא",
)
WORD = anywhere(r"[^\W\d]{3}")
LOST_SAYS = anywhere(
    r"if you are the (?:site |website )?owner",
    r"\b(?:page|url|link|address|content|document|article|file|resource|post|location|site|video|account|"
    r"listing)\b[^.!?]{0,60}\b(?:(?:could|can)(?:n['’]t| ?not) be (?:found|located|displayed)|(?:was|is|were) not "
    r"found|does(?:n['’]t| not)(?: seem to)? exist|no longer (?:exists?|available|here)|(?:has|have|may have|"
    r"might have)(?: been)? (?:moved|removed|deleted|renamed|changed)|isn['’]t (?:here|available|there)|is (?:not "
    r"available|unavailable|missing|gone))",
    r"\b(?:we|i) (?:can(?:['’]t|not)|could(?:n['’]t| not)|(?:were|are) unable to) (?:seem to )?find (?:the|that|"
    r"this|what|a)\b",
    r"when this happens, it['’]s usually because|nothing was found at this location|looking for (?:does|can|could|"
    r"isn|is not|was|might|may|has|is no)",
    r"it (?:may|might) have (?:been )?(?:moved|removed|deleted)|you (?:may|might) have (?:mistyped|followed|"
    r"typed)|broken link",
    r"seite[^.!?]{0,60}(?:nicht (?:gefunden|existier|vorhanden|mehr|verfügbar)|existiert|gelöscht|verschoben)|"
    r"konnten? [^.!?]{0,40}nicht (?:ge)?finden",
    r"page[^.!?]{0,60}(?:n['’]existe|introuvable|déplacée|supprimée|pas été trouvée)|página[^.!?]{0,60}(?:no "
    r"existe|no se |ha sido|não |foi )",
    r"pagina[^.!?]{0,60}(?:non (?:esiste|è|è stata)|niet|bestaat|verplaatst|rimossa|spostata)|"
    r"sidan[^.!?]{0,60}(?:finns|flyttats|inte)",
    r"stron[aąęy][^.!?]{0,60}(?:nie |usunięta|przeniesiona)|stránk[^.!?]{0,60}(?:neexistuje|nenalezen|přesunut|"
    r"nebyla)|sayfa[^.!?]{0,60}(?:bulunama|kaldırıl|taşın|mevcut)",
    r"страниц[^.!?]{0,60}(?:не (?:найден|существует)|удалена|перемещена)|σελίδα[^.!?]{0,60}δεν",
    r"ページ[^。]{0,40}(?:見つかり|存在しません|移動|削除)|(?:页面|網頁|网页|頁面)[^。]{0,30}(?:不存在|删除|刪除|"
    r"移动|找不到|移至)|페이지[^.]{0,40}(?:없습니다|삭제|이동)",
)
ABOUT = anywhere(
    r"\b(?:when|if|means?|indicates?|returns?|answers?|status|code|response|called|says?|said|say|wenn|lorsqu|"
    r"cuando|quando|si)\b"
)

UPKEEP_HEAD = whole(
    r"(?:(?:the |this |our )?(?:site|website|page|service|server)?(?: is)? ?(?:currently |temporarily )?)?(?:down|"
    r"closed|offline|unavailable|undergoing|under)(?: for)?(?: scheduled| planned| routine)? maintenance\W{0,3}|"
    r"(?:site |website |scheduled |planned )?maintenance(?: mode| in progress| page)?",
    r"we(?:['’]ll| will) be (?:right )?back(?: soon| shortly)?|be right back|briefly unavailable for scheduled "
    r"maintenance.{0,40}|service (?:temporarily )?unavailable",
    r"temporarily (?:unavailable|down|offline)|wartung(?:sarbeiten|smodus)?|site en maintenance|maintenance en "
    r"cours|(?:sitio )?en mantenimiento|(?:sito )?in manutenzione",
    r"(?:서비스|시스템|사이트) 점검 중(?:입니다)?|przerwa techniczna|bakım(?: çalışması|dayız)?|onderhoud|(?:site "
    r"|página |sistema )?em manutenção|estamos en mantenimiento|(?:на сайте )?(?:ведутся )?технические работы|"
    r"(?:ただいま|只今)?メンテナンス中(?:です)?|系统维护中?|网站维护中?|점검 중",
)
UPKEEP_SAYS = anywhere(
    r"(?:be|come|check|try) (?:right )?(?:back|again|online)(?: (?:soon|shortly|later|in a))?|back (?:online|soon|"
    r"shortly)",
    r"(?:performing|scheduled|under|planned|some) (?:\w{1,12} )?maintenance|apologi[sz]e|inconvenience|could not "
    r"be served",
    r"in kürze wieder|bald wieder|wir arbeiten|bientôt de retour|de retour|volveremos|vuelve pronto|a presto|"
    r"torneremo",
    r"unable to resolve|not returning a connection|cloudflare network|what happened|technical difficult|few "
    r"minutes|voltaremos|em breve|server returned|respond in time|browser console|internal server error|is broken|"
    r"working on (?:it|the site|this)|wrócimy|잠시 후|learn more|try again|temporarily unable|error occurred|"
    r"please contact|скоро верн|ведутся|ご迷惑|しばらくお待ち|稍后(?:再|访问)|给您带来|잠시 후",
)
FAULT_HEAD = whole(
    r"(?:http )?(?:error )?50[0-4](?:[ :–-]{1,3}(?:internal server error|bad gateway|service (?:temporarily "
    r")?unavailable|gateway time-?out))?(?: error)?",
    r"something went wrong|(?:an? )?(?:unexpected |internal |database |fatal )?error(?: occurred)?|(?:509 "
    r")?bandwidth limit exceeded|etwas ist schief ?gelaufen|une erreur (?:est survenue|s['’]est produite)|algo "
    r"salió mal|что-то пошло не так|エラーが発生しました|出错了",
    r"server error(?: \(500\))?|web server is down.{0,30}|connection timed out.{0,30}|(?:error )?(?:52\d|"
    r"1\d{3})\b.{0,40}|(?:cloudflare tunnel|dns resolution|database) error|technical difficulties",
    r"internal server error|bad gateway|gateway time-?out|application error\b.{0,60}|error establishing a "
    r"database connection",
)
UPKEEP = opening(
    r"(?:we|this (?:site|website|page|service)|(?:the|our) (?:site|website|service|system|page)|"
    r"[\w-]{1,63}\.[\w.-]{2,60})(?:['’]re| are| is)? (?:currently |temporarily |briefly |now )?(?:undergoing|down "
    r"for|under|performing|offline for|unavailable (?:for|due to))\b[^.!?]{0,30}\bmaintenance",
    r"(?:this|the|our) (?:web)?(?:site|service|app) is (?:currently |temporarily )?(?:unavailable|down|offline)\b",
    r"(?:서비스|시스템|사이트) 점검 중|trwają prace (?:techniczne|konserwacyjne)|bakım çalışması",
    r"(?:php )?(?:fatal|parse) error\b.{0,200} in /.{0,200}(?::\d{1,6}| on line \d{1,6})",
    r"there (?:has been|was) a (?:critical|fatal) error on this (?:web)?site|error establishing a database connection",
    r"the server (?:is temporarily unable|encountered an internal error)|an (?:unexpected|internal|unknown) error "
    r"(?:has )?occurred|service (?:is )?(?:temporarily )?unavailable\W*$",
)
"""Said of the whole site, in a sentence."""
SOON_HEAD = whole(
    r"coming soon|under construction|(?:this )?(?:web)?site (?:is )?(?:under construction|coming soon)|(?:neue "
    r")?(?:web)?seite im aufbau|im aufbau|(?:site )?en construction|(?:sitio |página )?en construcción|"
    r"próximamente|(?:site )?em construção|(?:sito )?in costruzione|(?:сайт )?в разработке|(?:サイト)?準備中|"
    r"工事中|网站建设中|준비 ?중"
)
SOON = opening(
    r"(?:this|our|the) (?:new )?(?:web)?(?:site|page) (?:is|will be) (?:currently )?(?:under construction|coming|"
    r"launch)|we(?:['’]re| are) (?:working|building)|coming soon|under construction|(?:diese|hier entsteht)"
)
_LITTLE = 150
_SOME = 400
_SPOKEN = 600
_TEASERS = 1_000
"""What a site may show of itself beside a notice that says twice what it is."""
_FIRST = 5
_A_LINE = 60
_A_WORD = 30
_A_FEW = 2


def soft_404(signs: Signs, shown: Shown) -> GossamerError | None:
    """Why there is no page here; None for a page."""
    if (_is_advertising(shown) or _is_parked(signs, shown)) and not shown.tells:
        return NotFound("The domain is parked or for sale: there is no site.", hint="Search for where the site went.")
    if _is_default(signs, shown):
        return NotFound(
            "A web server's default page: there is no site yet.", hint="Check the address or search for it."
        )
    is_soon = any(map(SOON_HEAD.fullmatch, shown.headings or shown.titles))
    if is_soon and besides(shown.plain, SOON, FINE_PRINT) < _A_WORD:
        return NotFound("The site says that it is not there yet.", hint="Check the address or search for it.")
    if _is_lost(shown):
        return NotFound("The site says that there is no such page.", hint="Check the address or search for the page.")
    if _is_out_of_order(shown):
        return Unreachable("The site says that it is out of order for now.", hint="Try again later.")
    return None


def _is_parked(signs: Signs, shown: Shown) -> bool:
    speaks = any(map(OF_DOMAINS.search, (shown.text, *shown.titles)))
    states_it = shown.weight < _TEASERS and shown.says(SALE)
    offers = speaks and (states_it or any(map(SALE.search, shown.titles)))
    is_marked = (offers or weigh(shown.text) < _LITTLE) and any(map(PARKING_MARK.search, signs.sources))
    if not offers or is_marked:
        return is_marked and prose(shown.blocks, without=SALE) < _SOME
    rest = prose(shown.blocks, without=SALE)
    is_titled = bool(SALE_HEAD.fullmatch(signs.title)) or any(map(SALE_HEAD.fullmatch, shown.heads))
    if is_titled and (rest == 0 or (rest < _SOME and shown.has_control(SALE_CONTROL))):
        return True
    is_stated = any(states(block.text, SALE_SAID) for block in shown.blocks)
    is_called = any(map(SALE_SAID.match, (*shown.titles, *signs.titles)))
    return is_stated and besides(shown.plain, SALE_SAID, FINE_PRINT) < (_LITTLE if is_called else _A_LINE)


def _is_advertising(shown: Shown) -> bool:
    """Whether a page is a parked domain: its name, links, and a line that names the parking service."""
    if not any(SPONSORED.search(block.text[:_SPOKEN]) for block in shown.plain):
        return False
    named = (*shown.titles, *(block.text for block in shown.blocks[:_FIRST]))
    links = sum(block.is_control for block in shown.blocks)
    rest = prose(block for block in shown.blocks if not SPONSORED.search(block.text))
    return links >= _A_FEW and rest < _A_LINE and any(map(DOMAIN.fullmatch, named))


def _is_default(signs: Signs, shown: Shown) -> bool:
    is_titled = bool(DEFAULT_TITLE.fullmatch(signs.title))
    first = next((block.text for block in shown.blocks if block.head), "")
    if is_titled:
        return bool(DEFAULT_SAYS.search(shown.text)) or weigh(shown.text) < _A_LINE
    if not signs.title and DEFAULT_TITLE.fullmatch(first) and weigh(shown.text) < _A_LINE:
        return True
    begins = first or next((block.text for block in shown.blocks), "")
    others = [block for block in shown.plain if block.text != begins]
    is_so = bool(DEFAULT_HEAD.fullmatch(begins)) and any(DEFAULT_SAYS.search(block.text) for block in others)
    return is_so and besides(others, DEFAULT_SAYS, DEFAULT_SAYS) < _A_LINE


def _is_lost(shown: Shown) -> bool:
    """Whether a heading says that there is nothing, and a sentence of the page agrees or nothing else is there."""
    titled = [part for part in shown.titles if LOST_HEAD.fullmatch(part)]
    headed = [text for text in shown.headings if LOST_HEAD.fullmatch(text)]
    if not (titled or headed):
        return False
    if prose(shown.blocks, without=LOST_SAYS) >= (_TEASERS if titled and headed else _LITTLE):
        return False
    if any(map(_is_of_loss, shown.plain[:_FIRST])):
        return True
    if not headed and any(block.head for block in shown.blocks):
        return False
    texts = [block.text for block in shown.plain]
    is_addressed = any(map(ADDRESS.search, texts))
    room = (_LITTLE if is_addressed else _A_LINE) if any(map(WORD.search, titled + headed)) else _A_WORD
    return sum(map(weigh, texts)) < room and not any(map(ABOUT.search, texts))


def _is_of_loss(block: TextBlock) -> bool:
    """Whether a sentence says that this page is not there; one on such pages comes with a "when" or "means"."""
    match = LOST_SAYS.search(block.text)
    return says(block, LOST_SAYS) and bool(match) and not ABOUT.search(block.text[: match.start()])


def _is_out_of_order(shown: Shown) -> bool:
    if any(map(FAULT_HEAD.fullmatch, shown.heads)):
        return besides(shown.plain, UPKEEP, UPKEEP_SAYS) < _A_WORD
    if shown.weight < _SPOKEN and any(states(block.text, UPKEEP) for block in shown.blocks):
        return besides(shown.plain, UPKEEP, UPKEEP_SAYS) < _A_WORD
    if not any(map(UPKEEP_HEAD.fullmatch, shown.heads)) or prose(shown.blocks) >= _SOME:
        return False
    return not shown.plain or any(UPKEEP_SAYS.search(block.text) for block in shown.plain)
