"""What walls say, in the languages of the web: whole headings, sentences, buttons. Every pattern is bounded."""

import re


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(phrases), re.IGNORECASE)


def _whole(*phrases: str) -> re.Pattern[str]:
    """For `fullmatch`: a heading that says this and nothing else, but for exclamations round it."""
    before = r"(?:(?:oops|ooops|sorry|whoops|uh[- ]?oh|hoppla|ups|oh no|desolé|désolé|lo sentimos)\b[\s,.!:;…–-]*)?"
    return re.compile(rf"\W{{0,3}}{before}(?:{'|'.join(phrases)})[\s.,!?…:;()）]*", re.IGNORECASE)


LOGIN_HEAD = _whole(
    r"(?:please )?(?:log|sign)[ -]?(?:in|on)(?: page| required| here)?(?: (?:to|with|or|into|using|and)\b.{0,60})?",
    r"(?:(?:member|customer|user|account|admin|client|student|staff|webmail|portal|employee|secure|company) )?login"
    r"(?: page| required| form)?(?: (?:to|with|or)\b.{0,60})?",
    r"authentication required|single sign-on|authwall",
    r"anmelden|anmeldung|einloggen|(?:bei|in) .{1,40} (?:anmelden|einloggen)|melden sie sich .{0,40}an",
    r"se connecter(?: à .{1,40})?|connexion|identifiez-vous|s['’]identifier",
    r"iniciar sesión.{0,40}|inicia sesión.{0,40}|acceder|inicio de sesión|accedi(?: a .{1,40})?|accesso|entrar",
    r"iniciar sessão|fazer login|inloggen|aanmelden|logga in|logg inn|log ind|kirjaudu(?: sisään)?",
    r"zaloguj się|logowanie|вход(?: в .{1,40})?|войти(?: в .{1,40})?|авторизация|увійти|přihlášení|přihlásit se",
    r"giriş yap|oturum aç|đăng nhập|masuk|เข้าสู่ระบบ|تسجيل الدخول|.{0,20}ログイン|サインイン|.{0,10}登录|"
    r".{0,10}登錄|로그인",
)
JOIN_HEAD = _whole(
    r"join .{1,30}|welcome back(?: to .{1,30})?|sign up(?: (?:for|to) .{1,40})?|create (?:an|your) account"
)
LOGIN_PLEA = _any(
    r"(?:must|have to|need to|please|required to) (?:first )?(?:be )?(?:log(?:ged)?|sign(?:ed)?)[ -]?in"
    r"(?: or \w+(?: \w+)?)? (?:to|before you can|in order to) "
    r"(?:continue|proceed|(?:view|see|access|read|open|visit|use) (?:this|the (?:page|content|requested)|our|it\b))",
    r"(?:log|sign) in (?:or \w+(?: \w+)? )?to (?:continue|proceed|view this|see this|access this|read this|"
    r"see (?:photos|posts))",
    r"(?:this|the) (?:page|content|area|section|group|profile|community) is (?:only (?:available |visible )?(?:to|"
    r"for)|private|"
    r"restricted to|for) (?:logged[- ]in|registered|signed[- ]in|members|authori[sz]ed)",
    r"you (?:are not|aren['’]t) (?:logged|signed) in",
    r"(?:bitte )?melden sie sich an,? um (?:fortzufahren|diese)|sie müssen (?:sich anmelden|"
    r"angemeldet sein)[^.]{0,30}(?:diese|fortzu)",
    r"connectez-vous pour (?:continuer|accéder|voir)|vous devez (?:être connecté|vous connecter) pour (?:accéder|"
    r"voir|continuer)",
    r"inicia sesión para (?:continuar|ver)|debes iniciar sesión para (?:ver|acceder|continuar)",
    r"войдите,? чтобы (?:продолжить|увидеть)|необходимо авторизоваться|ログインして(?:ください|続行)|"
    r"ログインが必要です|"
    r"请(?:先)?登录后(?:再)?(?:查看|继续|访问)",
)
LOGIN_CONTROL = _any(
    r"^\W{0,3}(?:log|sign)[ -]?(?:in|on|up)\b|^(?:login|register|anmelden|connexion|iniciar|войти|ログイン|登录)"
)
USER_FIELD = _any(
    r"user|login|e-?mail|identifier|account|session\[|phone|usr|uid|domain|workspace|tenant|organi[sz]ation"
)

CONSENT_HEAD = _whole(
    r"before you continue.{0,60}|(?:we|your|about your) (?:value|respect|care about)?.{0,20}privacy(?: choices|"
    r" matters| settings)?",
    r"(?:cookie|privacy|consent)[ -](?:consent|settings?|preferences?|choices|message|manager|wall|center)|"
    r"sp consent message|consent",
    r".{0,40}is part of the yahoo family of brands|.{0,40}(?:uses|and) cookies|cookies?(?: and privacy)?|"
    r"manage (?:your )?consent",
    r"(?:wir (?:respektieren|schätzen) )?ihre privatsphäre.{0,40}|datenschutz.{0,30}|cookie-einstellungen|"
    r"bevor sie fortfahren.{0,40}",
    r".{0,40}(?:mit werbung|pur-abo|mit werbung weiterlesen|mit werbung oder .{0,60})|willkommen(?: bei .{1,30})?|"
    r"zustimmung.{0,30}",
    r".{0,40}respect.{0,20}votre vie privée.{0,20}|avant d['’]accéder.{0,40}|vos choix.{0,30}|(?:tu|"
    r"su) privacidad.{0,30}",
    r"la tua privacy.{0,30}|rispettiamo la tua privacy|uw privacy.{0,30}|din integritet.{0,20}|プライバシー.{0,20}|"
    r"隐私.{0,10}",
)
CONSENT = _any(
    r"cookies?\b|\bconsent|\bprivacy|personali[sz]ed (?:ads|advertising|content)|our (?:\d+ |trusted )?partners|"
    r"third[- ]part(?:y|ies)",
    r"store and/or access|accept all|reject all|legitimate interest|measure (?:ads|audience|engagement|"
    r"the effectiveness)|precise location",
    r"zustimm|einwillig|datenschutz|akzeptieren|personalisierte|unsere partner|werbung|tracking|endgerät",
    r"vie privée|consentement|partenaires|traceurs|accepter|publicité|privacidad|consentimiento|socios|aceptar|"
    r"consenso|toestemming",
    r"同意|クッキー|隐私",
)
POLICY_HEAD = _any(
    r"polic(?:y|ies)|notice|statement|declaration|erklärung|richtlinie|hinweise?\b|politique|política|informativa|"
    r"how .{0,30}cookies|what",
    r"guide|explained|enable|disable|delete|clear|browser|about cookies|ポリシー|政策|law|gdpr|dsgvo|rgpd|imprint|"
    r"impressum",
)
AGREE = _any(
    r"\b(?:accept|agree|allow all|i consent|got it|zustimmen|akzeptieren|einverstanden|alle annehmen|accepter|"
    r"j['’]accepte|"
    r"aceptar|accetta|accetto|akkoord|accepteren|godkänn|zgadzam|akceptuj|принять|согласен|kabul)\b",
    r"同意|接受|동의",
)
PAY_INSTEAD = _any(
    r"\bpur\b|\babo\b|-abo\b|abonn|werbefrei|ohne (?:werbung|tracking)|ad[- ]free|without (?:ads|advertising)|"
    r"subscri|sans pub",
    r"suscr[ií]|suscripción|abbonat|pagamento|pay to reject|contentpass",
)

LOST_HEAD = _whole(
    r"(?:(?:error|fehler|erreur|errore|erro|ошибка|błąd|エラー|chyba|hata|错误|오류|fel|fout)[ :]{0,3})?404"
    r"(?:[ :,.–—|-]{0,3}(?:error|fehler|erreur|errore|erro|ошибка|błąd|エラー|错误))?",
    r"(?:(?:http )?(?:error |status )?404[ :,.–—|-]{0,4}(?:error[ :–-]{0,3})?)?(?:the |this |that |your |"
    r"requested |web|site )*"
    r"(?:page|content|document|url|article|file|post|link|resource|address|story)?(?: you.{1,40}?)?(?: (?:was|is|"
    r"were|are))?"
    r"(?: ?(?:not|can(?:no|['’])t be|could(?:n['’]t| not) be) found| (?:is(?:n['’]t| not)|no longer|"
    r"not) (?:available|here)(?: right now| at the moment| any ?more)?|"
    r" no longer exists| does(?:n['’]t| not) exist| missing)(?:[ :,(–-]{0,3}(?:error )?404\)?)?",
    r"(?:we|i) (?:can(?:['’]t|not)|could(?:n['’]t| not)) find (?:the|that|this|what).{0,40}|"
    r"nothing (?:was )?found(?: here)?",
    r"(?:die |diese )?(?:angeforderte |gesuchte |gewünschte )?seite (?:wurde |konnte |ist )?(?:leider )?"
    r"(?:nicht (?:gefunden|verfügbar|vorhanden)(?: werden)?|existiert nicht|gibt es (?:leider )?nicht(?: mehr)?)",
    r"(?:la |cette )?page (?:demandée |que vous .{1,30} )?(?:est )?(?:introuvable|non trouvée|n['’](?:existe pas|"
    r"a pas été trouvée))",
    r"(?:la |esta )?página (?:solicitada )?(?:no (?:encontrada|existe|se ha encontrado|se encuentra|disponible)|"
    r"que .{1,30} no existe)",
    r"(?:esta |a )?página (?:não (?:encontrada|existe|foi encontrada|está disponível))|página inexistente",
    r"(?:la )?pagina (?:non (?:trovata|esiste|disponibile)|richiesta non .{1,30})",
    r"(?:de )?pagina (?:is )?niet (?:gevonden|beschikbaar)|deze pagina bestaat niet(?: meer)?|"
    r"sidan (?:hittades inte|finns inte)",
    r"siden (?:blev ikke fundet|ble ikke funnet|finnes ikke|findes ikke)|sivua ei (?:löytynyt|löydy)",
    r"nie znaleziono strony|strony nie znaleziono|strona nie (?:została znaleziona|istnieje)",
    r"(?:stránka (?:nenalezena|nebyla nalezena|neexistuje))|sayfa bulunamadı|aradığınız sayfa bulunamadı",
    r"(?:(?:запрашиваемая )?страница не (?:найдена|существует))|сторінку не знайдено|η σελίδα δεν βρέθηκε",
    r".{0,20}(?:ページ|ファイル)(?:が|は)(?:見つかりません(?:でした)?|存在しません|ありません)|"
    r"お探しのページは.{0,30}",
    r".{0,10}(?:页面不存在|找不到(?:该)?页面|页面未找到|无法找到(?:该|此)?(?:网页|页面)|找不到網頁|頁面不存在|"
    r"您(?:访问|要找|请求)的页面.{0,20})",
    r".{0,10}페이지를 찾을 수 없습니다|không tìm thấy trang|halaman tidak ditemukan|ไม่พบหน้า.{0,20}|"
    r"الصفحة غير موجودة|"
    r"הדף לא נמצא",
)
LOST_SAYS = _any(
    r"\b(?:page|url|link|address|content|document|article|file|resource|post|location|site)\b[^.!?]{0,60}"
    r"\b(?:(?:could|can)(?:n['’]t| ?not) be (?:found|located|displayed)|(?:was|is|were) not found|does(?:n['’]t|"
    r" not)(?: seem to)? exist|"
    r"no longer (?:exists?|available|here)|(?:has|have|may have|might have)(?: been)? (?:moved|removed|deleted|"
    r"renamed|changed)|"
    r"isn['’]t (?:here|available|there)|is (?:not available|unavailable|missing|gone))",
    r"\b(?:we|i) (?:can(?:['’]t|not)|could(?:n['’]t| not)|(?:were|are) unable to) (?:seem to )?find (?:the|that|"
    r"this|what|a)\b",
    r"when this happens, it['’]s usually because|nothing was found at this location|looking for (?:does|can|could|"
    r"isn|is not|was|might|may|has|is no)",
    r"it (?:may|might) have (?:been )?(?:moved|removed|deleted)|you (?:may|might) have (?:mistyped|followed|"
    r"typed)|broken link",
    r"seite[^.!?]{0,60}(?:nicht (?:gefunden|existier|vorhanden|mehr|verfügbar)|existiert|gelöscht|verschoben)|"
    r"konnten? [^.!?]{0,40}nicht (?:ge)?finden",
    r"page[^.!?]{0,60}(?:n['’]existe|introuvable|déplacée|supprimée|pas été trouvée)|"
    r"página[^.!?]{0,60}(?:no existe|no se |ha sido|não |foi )",
    r"pagina[^.!?]{0,60}(?:non (?:esiste|è|è stata)|niet|bestaat|verplaatst|rimossa|spostata)|"
    r"sidan[^.!?]{0,60}(?:finns|flyttats|inte)",
    r"stron[aąęy][^.!?]{0,60}(?:nie |usunięta|przeniesiona)|stránk[^.!?]{0,60}(?:neexistuje|nenalezen|přesunut|"
    r"nebyla)|sayfa[^.!?]{0,60}(?:bulunama|kaldırıl|taşın|mevcut)",
    r"страниц[^.!?]{0,60}(?:не (?:найден|существует)|удалена|перемещена)|σελίδα[^.!?]{0,60}δεν",
    r"ページ[^。]{0,40}(?:見つかり|存在しません|移動|削除)|(?:页面|網頁|网页|頁面)[^。]{0,30}(?:不存在|删除|刪除|"
    r"移动|找不到|移至)|페이지[^.]{0,40}(?:없습니다|삭제|"
    r"이동)",
)

SCRIPT = _any(
    r"(?:enable|activate|turn on|requires?|need|without|allow|switch on) (?:to (?:enable|run|have|"
    r"use) )?(?:cookies and )?java ?script",
    r"java ?script (?:(?:is|was|appears to be) )?(?:(?:currently )?(?:disabled|off|not (?:available|enabled|"
    r"supported))|required|must|enabled)",
    r"javascript (?:zu )?aktivieren|javascript ist (?:deaktiviert|erforderlich)|activer javascript|"
    r"javascript est (?:désactivé|requis)",
    r"(?:habilit|activ)(?:a|e|ar) javascript|(?:abilita|attiva)(?:re)? javascript|javascript (?:を有効|が無効)|"
    r"включите javascript|启用 ?javascript|javascript를",
    r"browser (?:is (?:no longer|not) supported|doesn['’]t support)",
)
WAITING = _any(
    r"^\W*(?:loading|please wait|wird geladen|chargement|cargando|caricamento|загрузка|読み込み中|加载中|laden|"
    r"something went wrong|just a sec\w*)(?!\w).{0,60}$"
)

AGE = _any(
    r"^\W*(?:are you|confirm (?:that )?you are|please confirm (?:that )?you are) (?:at least |over |of |aged |"
    r"above )?(?:the )?"
    r"(?:legal (?:drinking |smoking )?age|1[68]|21)\b",
    r"must be (?:at least |over |of )?(?:legal (?:drinking |smoking )?age|1[68]|21)(?: years?)?(?: old|"
    r" of age)?(?: or (?:older|over|above))?"
    r" (?:to|in order to) (?:enter|view|visit|access|continue|proceed|see)",
    r"^\W*age (?:verification|check|gate|restricted)|^\W*(?:please )?verify your age|enter your (?:date of birth|"
    r"birth ?date)",
    r"^\W*(?:sind sie|bist du|ich bin) (?:bereits |schon |mindestens |über )*18|altersprüfung|"
    r"^\W*avez-vous (?:plus de )?18 ans",
    r"^\W*(?:eres|es usted) mayor de (?:edad|18)|^\W*hai (?:più di |almeno )?18 anni|^\W*вам (?:уже )?(?:есть|"
    r"исполнилось) 18",
    r"18歳以上ですか|年齢確認|(?:是否|已)(?:年)?满18",
)
AGE_CONTROL = _any(
    r"^\W*(?:yes|enter|i am|i['’]m|continue|confirm|verify|submit|ja\b|oui|s[íi]\b|да\b|はい|是|进入|entrar|entra)"
)
GEO = _any(
    r"(?:not (?:currently |yet )?available|unavailable|blocked|restricted|not (?:offered|accessible|"
    r"permitted)) (?:in|from|for|to)"
    r"(?: (?:viewers|users|visitors|customers) (?:in|from))? your (?:current )?(?:country|region|location|area|"
    r"territory|state)",
    r"from a country belonging to the european economic area|content is not available (?:due to|in) (?:gdpr|the eu)",
    r"in (?:ihrem|deinem) land (?:leider )?nicht verfügbar|n['’]est pas disponible dans votre (?:pays|région)|"
    r"no está disponible en (?:tu|su) (?:país|región)",
    r"お住まいの(?:国|地域)では(?:ご利用|ご覧)|您所在的(?:国家|地区)",
)
UPKEEP_HEAD = _whole(
    r"(?:(?:the |this |our )?(?:site|website|page|service|server)?(?: is)? ?(?:currently |temporarily )?)?(?:down|"
    r"closed|offline|unavailable|undergoing|under)"
    r"(?: for)?(?: scheduled| planned| routine)? maintenance.{0,20}|(?:site |website |scheduled |"
    r"planned )?maintenance(?: mode| in progress| page)?",
    r"we(?:['’]ll| will) be (?:right )?back(?: soon| shortly)?|be right back|"
    r"briefly unavailable for scheduled maintenance.{0,40}|service (?:temporarily )?unavailable",
    r"temporarily (?:unavailable|down|offline)|wartung(?:sarbeiten|smodus)?|site en maintenance|"
    r"maintenance en cours|(?:sitio )?en mantenimiento|(?:sito )?in manutenzione",
    r"технические работы|(?:ただいま|只今)?メンテナンス中(?:です)?|系统维护中?|网站维护中?|점검 중",
)
UPKEEP_SAYS = _any(
    r"(?:be|come|check|try) (?:right )?(?:back|again|online)(?: (?:soon|shortly|later|in a))?|back (?:online|soon|"
    r"shortly)",
    r"(?:performing|scheduled|under|planned|some) (?:\w{1,12} )?maintenance|apologi[sz]e|inconvenience|"
    r"could not be served",
    r"in kürze wieder|bald wieder|wir arbeiten|bientôt de retour|de retour|volveremos|vuelve pronto|a presto|"
    r"torneremo",
    r"скоро верн|ведутся|ご迷惑|しばらくお待ち|稍后(?:再|访问)|给您带来|잠시 후",
)
FAULT_HEAD = _whole(
    r"(?:http )?(?:error )?50[0-4](?:[ :–-]{1,3}(?:internal server error|bad gateway|"
    r"service (?:temporarily )?unavailable|"
    r"gateway time-?out))?(?: error)?",
    r"internal server error|bad gateway|gateway time-?out|application error|error establishing a database connection",
)
FORBID = _any(
    r"you (?:are not|aren['’]t) (?:authori[sz]ed|allowed|permitted) to (?:access|view|see) (?:this|the)",
    r"you (?:do not|don['’]t) have (?:the )?(?:permission|access|authori[sz]ation|rights)s? to (?:access|view|"
    r"see) (?:this|the)",
    r"(?:sie haben|du hast) keine berechtigung|vous n['’](?:êtes pas autorisé|avez pas (?:accès|la permission))",
    r"no tiene(?:s)? permiso|non sei autorizzato|у вас нет (?:доступа|прав)|アクセス権(?:が|限)|没有权限|您无权",
)
COOKIES = _any(
    r"(?:please |must |to )(?:enable|allow|accept|turn on) (?:all )?cookies (?:in|to|and|on|for|before)",
    r"cookies (?:are|appear to be|must be|need to be|seem to be) (?:currently )?(?:disabled|enabled|required|"
    r"blocked|turned off)",
    r"browser (?:is not|isn['’]t|does not|doesn['’]t) (?:set to )?accept(?:ing)? cookies|cookies? not supported",
)
ABOUT = _any(
    r"\b(?:when|if|means?|indicates?|returns?|answers?|status|code|response|called|says?|said|say|wenn|lorsqu|"
    r"cuando|quando|si)\b"
)
