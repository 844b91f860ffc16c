"""Phrases of walls in the languages of the web, and how they are matched; every pattern is bounded."""

import re

_EXCLAIMS = (
    r"(?:(?:hm{1,3}|oups|oops|ooops|sorry|whoops|uh[- ]?oh|hoppla|ups|oh no|desolé|désolé|lo sentimos)\b[\s,.!:;…–-]*)?"
)
_COURTESIES = (
    r"please|sorry|oops|we['’]re sorry|let['’]?s|let us|to (?:continue|proceed)|in order to continue|but|"
    r"before (?:we|you) continue|bitte|leider|um fortzufahren|veuillez|merci de|désolé|(?:pour|afin de) continuer|"
    r"por favor|lo sentimos|para continuar|per favore|per continuare|пожалуйста|чтобы продолжить|для продолжения|"
    r"прежде чем продолжить|proszę|aby kontynuować|lütfen|devam etmek için|om door te gaan"
)
_AIM = r"(?:(?:to|um|para|pour|per|чтобы|для)\s[^.,!?]{3,50},\s)?"


def either(*phrases: str) -> str:
    """A part of a pattern: one of them."""
    return f"(?:{'|'.join(phrases)})"


def anywhere(*phrases: str) -> re.Pattern[str]:
    """For `search`."""
    return re.compile("|".join(phrases), re.IGNORECASE)


def whole(*phrases: str) -> re.Pattern[str]:
    """For `fullmatch`: a heading that says this and nothing else, but for exclamations round it."""
    return re.compile(rf"\W{{0,3}}{_EXCLAIMS}(?:{'|'.join(phrases)})[\s.,!?…:;()）]*", re.IGNORECASE)


def opening(*phrases: str) -> re.Pattern[str]:
    """For `match`: a sentence that begins with it, a courtesy or what it is for apart.

    What a page says to its visitor opens a sentence; what it reports stands amid one.
    """
    before = rf"\W{{0,3}}(?:(?:{_COURTESIES})(?!\w)[\s,.!:…–-]{{0,3}}){{0,3}}{_AIM}"
    return re.compile(rf"{before}(?:{'|'.join(phrases)})", re.IGNORECASE)


PAY = re.compile(
    r"(?:subscribe|register|sign (?:up|in)|log ?in|join|upgrade|create (?:a|an|your) (?:free )?account|become a "
    r"(?:member|subscriber))\b[^.!?]{0,50}to (?:continue|keep|finish|read|unlock) (?:reading|the (?:full|rest|"
    r"whole|entire)|this (?:article|story|post)|the story|more of this)|to (?:continue|keep) reading(?: "
    r"this)?(?:,| (?:article|story|post|for))|^\W{0,3}(?:continue|keep) reading (?:with|for|by|your)\b|(?:this|"
    r"the (?:rest|remainder) of this|the full) (?:article|content|story|post|episode|issue|report)s? (?:is|are) "
    r"(?:only )?(?:for|reserved for|exclusive(?:ly)? (?:to|for)|available (?:only )?(?:to|for)|locked for|limited "
    r"to) (?:our |paid |paying |premium |registered )*(?:subscribers|members)(?! of)|member[- ]only (?:story|"
    r"article|content)|subscriber[- ]only (?:story|article|content)|subscribers[- ]only|you(?:['’]ve| have) "
    r"(?:reached|used|read|hit|viewed)[^.!?]{0,60}(?:free|complimentary|limit)[^.!?]{0,20}(?:articles?|stories|"
    r"limit|month|today)|(?:unlock|get full access to) (?:this|the (?:full|whole)) (?:article|story|post)|read "
    r"the (?:full|rest of (?:the|this)) (?:story|article) with|(?:to|and) (?:read|unlock) the (?:full|rest|"
    r"whole)[^.!?]{0,30}(?:subscri|member|sign|log)|(?:jetzt |diesen artikel |artikel )?weiterlesen mit|(?:lesen "
    r"sie|jetzt) (?:diesen artikel |alle artikel )?mit .{0,20}(?:abo|plus|\+)|(?:dieser|diesen) (?:artikel|inhalt|"
    r"text)[^.!?]{0,30}(?:abonnent|nur mit|exklusiv für|kostenpflichtig)|(?:(?:cet|ce|cette|la|le) )?(?:article|"
    r"contenu|suite|lecture)[^.!?]{0,30} réservée?s? (?:à nos |aux )abonn|il vous reste [\d.,]{1,5} ?% de cet "
    r"article|(?:pour|afin de) (?:continuer|poursuivre|lire) (?:la|votre|cet) (?:lecture|article|suite)|para "
    r"(?:seguir|continuar) leyendo|(?:este )?(?:contenido|artículo)(?: es)? (?:exclusivo|solo) para "
    r"(?:suscriptores|socios)|continue lendo|(?:este )?conteúdo (?:é )?exclusivo para assinantes|per continuare a "
    r"leggere|(?:questo )?(?:contenuto|articolo)(?: è)? (?:riservato|esclusivo)[^.!?]{0,20}abbonati|dit artikel "
    r"is (?:exclusief|alleen) voor abonnees|lees (?:verder|dit artikel) (?:met|voor|onbeperkt)|(?:dalsza część|"
    r"pełna treść|treść)[^.!?]{0,40}(?:prenumerator|subskry|dostępem)|(?:читать|доступ)[^.!?]{0,30}(?:по подписке|"
    r"подписчик)|この記事は(?:有料)?会員限定|会員限定(?:記事|です)|有料会員(?:限定|になると|の方)|続きを読むには|"
    r"残り[:：]?\s*[\d,]{1,6} ?文字|(?:订阅|付费|登录|购买)(?:后|即可)?(?:继续)?(?:阅读|查看)(?:全文|剩余)?|"
    r"本文(?:为|是)(?:付费|会员)|(?:剩余|余下)[^。]{0,10}(?:付费|订阅)|유료 회원|구독자 전용",
    re.IGNORECASE,
)
"""Said of the page itself, in a short block of its own."""
PAY_HINT = re.compile(
    r"already a (?:subscriber|member)|subscribe (?:now|today)|cancel any ?time|free trial|per month|/month|a "
    r"week\b|digital (?:access|subscription)|unlimited access|subscription|abonn|probemonat|jetzt testen|"
    r"suscr[ií]b|abbonati|prenumer|подписк|有料|会員登録|购买|订阅|구독",
    re.IGNORECASE,
)
PRICES = whole(
    r"(?:our )?(?:pricing|prices|plans|subscriptions?|memberships?)(?: (?:and|&) (?:pricing|prices|plans))?|"
    r"(?:pricing|subscription|membership) (?:plans|options|prices|fees)|(?:unsere )?(?:preise|abos?|tarife|"
    r"abonnements)(?: (?:und|&) (?:preise|abos|tarife))?|(?:nos )?(?:tarifs|offres|formules|abonnements|prix)|"
    r"(?:nuestros )?(?:precios|planes|tarifas|suscripciones)(?: y (?:precios|tarifas))?|preços|planos(?: e preços)?|"
    r"assinaturas|prezzi|abbonamenti|piani|prijzen|abonnementen|priser|prenumerationer|cennik|prenumerata|тарифы|цены|"
    r"подписка|fiyatlar|料金(?:プラン|表)?|価格|价格|套餐|定价|가격|요금제",
)
"""How pages are called that list what something costs."""
PAYBOX = re.compile(
    r"pay-?wall|subscriber-?only|premium-?(?:content|wall|box)|reg-?wall|piano-|meter-?wall|subscribe-?wall",
    re.IGNORECASE,
)

_DOMAIN = r"[\w-]{1,63}(?:\.[\w-]{2,20}){1,2}"
SALE = re.compile(
    rf"{_DOMAIN}\W{{0,3}}(?:is|may be|might be) (?:available )?(?:for sale|available for purchase)|"
    r"(?:this|the) (?:web ?)?(?:domain|site)(?: name)? (?:\S{1,80} )?(?:is|may be|might be) (?:available |listed "
    r")?(?:for (?:sale|purchase)|parked)|(?:buy|get|own|purchase) this domain|(?:inquire|enquire) about this "
    r"domain|interested in (?:this|buying this) domain|(?:this|the) domain(?: name)? is (?:still )?available\W|"
    r"parked (?:free|domain|by)|domain (?:parking|is parked)|(?:this|the) domain (?:name )?(?:\S{1,80} )?(?:has "
    r"expired|is registered|was recently registered|has (?:just |recently )?been registered|is pending renewal)|"
    r"(?:diese |die )?domain\S{0,3} (?:\S{1,80} )?(?:steht zum verkauf|ist zu verkaufen|ist geparkt|wurde "
    r"registriert)|domain kaufen|(?:ce |le )?(?:nom de )?domaine (?:\S{1,80} )?est (?:peut-être )?(?:à vendre|en "
    r"vente|réservé)|(?:este )?dominio (?:\S{1,80} )?est[aá] (?:en|a la|à) venta|(?:este )?domínio (?:\S{1,80} "
    r")?está à venda|(?:deze )?domeinnaam (?:\S{1,80} )?is te koop|(?:ta )?domena (?:\S{1,80} )?jest na sprzedaż|"
    r"bu (?:alan adı|domain) satılık|이 도메인은|the owner of \S{3,80} is offering it for sale|your domain "
    r"\S{3,80} is now active|(?:deze )?(?:deze )?domeinnaam is (?:gereserveerd|geregistreerd)|diese domain wurde "
    r"[^.!?]{0,20}(?:freigeschaltet|eingerichtet)|hier entsteht eine neue (?:internet|web)|(?:questo )?dominio "
    r"(?:\S{1,80} )?è in vendita|домен(?:ное имя)? (?:\S{1,80} )?(?:продается|продаётся|припаркован|"
    r"зарегистрирован)|このドメインは|域名(?:正在)?(?:出售|转让)|此域名",
    re.IGNORECASE,
)
OF_DOMAINS = re.compile(
    r"domain|dom[ií]ni|domein|domena|домен|ドメイン|域名|도메인|alan adı|parked|website|internet|"
    r"[a-z0-9-]{2}\.[a-z]{2,12}\b",
    re.IGNORECASE,
)
"""A word of this kind is in whatever such a page says."""
SALE_SAID = opening(SALE.pattern)
SALE_HEAD = re.compile(
    rf"\W{{0,3}}(?:the )?(?:domain(?: name)? )?{_DOMAIN}(?:\W{{0,3}}(?:is|may be) (?:available )?(?:for sale|"
    rf"parked).{{0,20}}|)",
    re.IGNORECASE,
)
SALE_CONTROL = re.compile(
    r"buy (?:now|this|the|it)|make (?:an )?offer|get (?:this|a|the) (?:domain|price|quote)|inquire|contact (?:us|"
    r"seller|owner|the)|learn more|lease to own|renew|see price|kaufen|anfragen|offre|oferta|offerta|купить|"
    r"related (?:searches|links)|verwandte suchen",
    re.IGNORECASE,
)
PARKING_MARK = re.compile(
    r"sedoparking|parkingcrew|bodis\.com|parklogic|parkweb|hugedomains\.com|afternic\.com|dan\.com|"
    r"undeveloped\.com|domainmarket\.com|uniregistry|skenzo|voodoo\.com|efty\.com|domain_profile\.cfm|"
    r"parking-lander|parking\.namecheap|/lander\b|window\.park\b|adsense/domains|namebright|cdn-image\.com|"
    r"above\.com/marketplace|dynadot\.com/(?:parking|market)|registrar-servers|porkbun\.com/parked|atom\.com/lander",
    re.IGNORECASE,
)

SPONSORED = re.compile(
    r"sponsored (?:listings|links|results) (?:displayed|shown) (?:above|below|here|on this page) are (?:served|"
    r"generated|provided)[^.!?]{0,40} third part|(?:neither the )?(?:service provider|domain owner)\b[^.!?]{0,60}"
    r"relationship with (?:the |any |third party )?advertisers|(?:web)?page (?:was|is) generated by the domain owner|"
    r"sponsored listings werden von dritter seite|(?:listings|liens) sponsorisés affichés ci-dessus sont générés|"
    r"(?:listados|enlaces) patrocinados (?:mostrados|que aparecen) [^.!?]{0,40}por (?:un )?tercero|(?:listagens|links) "
    r"patrocinad[ao]s (?:exibid|mostrad)[ao]s [^.!?]{0,40}por terceiros|(?:annunci|link) sponsorizzati (?:mostrati|"
    r"visualizzati) [^.!?]{0,60}terz|gesponsorde (?:vermeldingen|links) [^.!?]{0,60}derde|спонсорские (?:ссылки|"
    r"объявления)[^.!?]{0,80}треть|スポンサー(?:リスト|リンク)[^。]{0,40}第三者",
    re.IGNORECASE,
)
"""Beneath the advertisements that a domain without a site is filled with."""
DOMAIN = re.compile(rf"\W{{0,3}}{_DOMAIN}(?: .{{0,60}})?", re.IGNORECASE)

DEFAULT_TITLE = re.compile(
    r"welcome to (?:nginx|openresty|tengine|caddy|centos|lighttpd)!?(?! on (?:a|an|my|your|the)\b).{0,40}|apache2? "
    r"(?:\w{1,20} ){0,3}default page.{0,30}|(?:test page for the )?(?:apache|nginx|http server|the apache http server|"
    r"the nginx http server).{0,20} test page.{0,60}|test page for the .{0,60}|iis(?: windows(?: server)?|\d{1,2})?|"
    r"it works!?|caddy works!?|default (?:web site |server |parallels plesk )?page.{0,30}|plesk default page|domain "
    r"default page|web server'?s default page|your (?:new )?(?:web ?site|web space|server) is ready.{0,40}",
    re.IGNORECASE,
)
DEFAULT_HEAD = re.compile(rf"{DEFAULT_TITLE.pattern}|test page", re.IGNORECASE)
DEFAULT_SAYS = re.compile(
    r"successfully installed|default (?:web ?|welcome )?page|/var/www|/usr/share/(?:nginx|httpd|doc)|internet "
    r"information services|further configuration is required|server (?:is )?(?:up and )?running|there is no (?:web "
    r"?site|content)|no web ?site (?:is )?(?:configured|at this)|replace this (?:page|file)|proper operation of|"
    r"cpanel|plesk|windows server|no content has been added|server[^.!?]{0,40} is working|owner of this website|ip "
    r"address has (?:been )?changed|reached this page because|online documentation and support|commercial support is "
    r"available|thank you for using|contact (?:your|the) (?:web ?)?host",
    re.IGNORECASE,
)
ADDRESS = anywhere(
    r"\b(?:you|your|yours|yourself|we|our|us|please|this|here)\b|['’]re\b",
    r"\b(?:sie|ihre?[nmrs]?|ihnen|du|dein\w{0,2}|dich|dir|wir|unser\w{0,2}|uns|bitte|diese[nmrs]?|hier)\b",
    r"\b(?:vous|votre|vos|nous|notre|nos|veuillez|tu|te|ton|ta|cette?|ce|ici)\b",
    r"\b(?:usted|su|sus|tus?|ti|nos|nuestr\w{1,2}|por favor|est[ae]|você|seu|sua|nosso|nossa|aqui|aquí|puede[sn]?)\b",
    r"\b(?:tuo|tua|tuoi|puoi|noi|nostr\w|questo|questa|qui|vi|si|prega|je|jouw|uw|wij|ons|onze|deze|dit|dig|din|vår|"
    r"vi)\b",
    r"\b(?:вы|вас|вам|ваш\w{0,3}|мы|наш\w{0,3}|нас|этот|эта|это|здесь|пожалуйста)\b|\b(?:twoj\w{1,2}|państwa|prosimy|"
    r"nasz\w{0,3}|siz\w{0,3}|bu|lütfen|anda|kami|ini)\b",
    r"\b\w{2,12}(?:amos|emos|iamo|amy|emy|ıyoruz|iyoruz|uyoruz|üyoruz)\b|\bacept[ae]\b|\baceite\b",
    r"\b(?:godkänn|välj|läs|geef|neem|kies|wählen?|choisissez|lisez|acceptez|abonnez|scegli|elige|elija|escolha|"
    r"wybierz|выберите|примите)\b",
    r"[\u0590-\u08ff\u0e00-\u0eff\u1100-\u11ff\u2e80-\ud7ff]",
)
"""The text addresses the reader or names the page; in scripts that leave this out it always counts as such."""
NEWSLETTER = anywhere(r"subscribe now to keep reading and get access to the full archive")
"""What blogs show below every post, whole as it is."""
LECTURE = anywhere(
    r"^\W{0,3}what to do (?:when|if)\b|^\W{0,3}how to\b",
    r"^\W{0,3}(?:when|whenever|if|once) (?:a|an|users?|visitors?|readers?|people|the (?:user|visitor|reader|server|"
    r"client|answer|reply|status))\b",
    r"\b(?:when|if|whenever) (?:a|an) (?:client|user|visitor|reader|browser|program|bot)\b",
    r"^\W{0,3}(?:wenn|sobald|falls) (?:ein\w{0,2}|besucher|nutzer|leser|der (?:server|nutzer|besucher))\b",
    r"^\W{0,3}(?:lorsqu['’]une?|lorsque (?:le|les|l['’])|quand (?:une?|le|les|l['’])|cuando (?:una?|el|los)|quando "
    r"(?:uma?|un[ao']?|o|os|il|gli|l['’]))(?!\w)",
    r"^\W{0,3}(?:если|когда) (?:пользовател|посетител|читател|сервер)",
    r"\b(?:readers|users|visitors|subscribers|besucher|nutzer|leser) (?:see|saw|get|got|are (?:asked|shown|told)|sehen|"
    r"bekommen)\b|\b(?:les|los|os|gli) (?:visiteurs|utilisateurs|lecteurs|usuarios|visitantes|usuários|utenti|"
    r"visitatori) (?:voient|ven|veem|vedono)\b|ユーザーが|用户(?:会|可以)看到|訪問者が",
)
"""Said of others, in general."""
MAKING = anywhere(r"\b(?:widget|snippet|live demo|tutorial|sitekey|site key|paste this|add (?:this|the) script)\b")
"""Advice to the developers of such a page."""
REPORT = anywhere(
    r"[,!?.…][\"”»’“]?\s(?:\w{1,12}\s){0,2}?(?:said|says|sang|read|reads|wrote|writes|replied|cried|shouted|whispered|"
    r"announced|sagte|sagt|rief|schrieb|stand da|dit|disait|lisait|criait|dijo|decía|gritó|disse|dizia|gridò|diceva|"
    r"сказал\w?|говорил\w?|написал\w?|zei|powiedział\w?|sa han|sa hon)\b",
    r"[」』](?:と|って)(?:言|書|叫|話)|[”」』]?(?:他|她|他们)说",
)
"""Quoted words."""
WHENEVER = anywhere(
    r"[^,;.!?]{0,40}?\b(?:when|if|whenever) (?:the|a|an|it|he|she|they|some)\b",
    r"\W{0,2}(?:when|whenever|if|wenn|falls|lorsqu\w{0,2}|quand|si|cuando|quando|se|если|когда)\b",
)
"""After a sentence's beginning: what it says holds in certain cases, and not of this visit."""
LOGIN_HEAD = whole(
    r"(?:please )?(?:log|sign)[ -]?(?:in|on)(?: page| required| here)?(?: (?:to|with|or|into|using|and)\b.{0,60})?",
    r"(?:(?:member|customer|user|account|admin|client|student|staff|webmail|portal|employee|secure|company|"
    r"subscriber|reader|library) )?login(?: page| required| form)?(?: (?:to|with|or)\b.{0,60})?",
    r"authentication required|single sign-on|authwall",
    r"anmelden|anmeldung|einloggen|(?:bei|in) .{1,40} (?:anmelden|einloggen)|melden sie sich .{0,40}an",
    r"se connecter(?: à .{1,40})?|connexion|identifiez-vous|s['’]identifier",
    r"iniciar sesión.{0,40}|inicia sesión.{0,40}|acceder|inicio de sesión|accedi(?: a .{1,40})?|accesso|entrar",
    r"iniciar sessão|fazer login|inloggen|aanmelden|logga in|logg inn|log ind|kirjaudu(?: sisään)?",
    r"zaloguj się|logowanie|(?:вход|войти)(?: (?:в|на) (?:систему|аккаунт|личный кабинет|уч[её]тную запись|"
    r"профиль|почту|сайт|форум|[a-z][\w .]{1,30}))?|авторизация|увійти|přihlášení|přihlásit se",
    r"giriş yap|oturum aç|đăng nhập|masuk|เข้าสู่ระบบ|تسجيل الدخول|.{0,20}ログイン|サインイン|.{0,10}登录|"
    r".{0,10}登錄|로그인",
)
JOIN_HEAD = whole(
    r"join .{1,30}|welcome back(?: to .{1,30})?|sign up(?: (?:for|to) .{1,40})?|create (?:an|your) account"
)
LOGIN_PLEA = anywhere(
    r"(?:must|have to|need to|please|required to) (?:first )?(?:be )?(?:log(?:ged)?|sign(?:ed)?)[ -]?in(?: or "
    r"\w+(?: \w+)?)? (?:to|before you can|in order to) (?:continue|proceed|(?:view|see|access|read|open|visit|"
    r"use) (?:this|the (?:page|content|requested)|our|it\b))",
    r"(?:log|sign) in (?:or \w+(?: \w+)? )?to (?:continue|proceed|view this|see this|access this|read this|see "
    r"(?:photos|posts|if you))",
    r"(?:this|the) (?:page|content|area|section|group|profile|community) is (?:only (?:available |visible )?(?:to|"
    r"for)|private|restricted to|for) (?:logged[- ]in|registered|signed[- ]in|members|authori[sz]ed)",
    r"(?:content|page|post|site|store|area|document) is (?:currently )?(?:password[- ]protected|private)|enter "
    r"(?:the|your|store using) password|passwortgeschützt|(?:das|ihr) passwort ein|protégée? par (?:un )?mot de "
    r"passe|protegid[ao] (?:con|por) (?:contraseña|senha)|protett[oa] da password|защищен\w? паролем|"
    r"パスワードで保護|パスワードを入力|需要密码|输入密码",
    r"(?:sie müssen|du musst) (?:sich|dich) (?:zuerst )?(?:anmelden|einloggen)",
    r"you (?:are not|aren['’]t) (?:logged|signed) in|requires you to be (?:registered and )?logged in",
    r"(?:bitte )?melden sie sich an,? um (?:fortzufahren|diese)|sie müssen (?:sich anmelden|angemeldet "
    r"sein)[^.]{0,30}(?:diese|fortzu)",
    r"connectez-vous pour (?:continuer|accéder|voir)|vous devez (?:être connecté|vous connecter) pour (?:accéder|"
    r"voir|continuer)",
    r"inicia sesión para (?:continuar|ver)|debes iniciar sesión para (?:ver|acceder|continuar)",
    r"(?:você precisa|é necessário|é preciso) (?:fazer login|entrar|iniciar sessão) para|faça login para "
    r"(?:continuar|ver)",
    r"(?:devi|è necessario|effettua) (?:effettuare )?l['’]accesso per (?:visualizzare|continuare|vedere)|accedi "
    r"per (?:continuare|vedere|visualizzare)|(?:je|u) moet (?:ingelogd zijn|inloggen) om|musisz (?:być "
    r"zalogowan\w|się zalogować), aby|(?:görüntülemek|görmek|devam etmek) için (?:giriş yapma|oturum aç)",
    r"(?:您|你)?需要(?:先)?登[录錄]后?(?:才|方)?可?|로그인이 필요(?:한|합니다)|로그인 후 (?:이용|확인)",
    r"войдите,? чтобы (?:продолжить|увидеть)|необходимо авторизоваться|ログインして(?:ください|続行)|"
    r"ログインが必要です|请(?:先)?登录后(?:再)?(?:查看|继续|访问)",
)
LOGIN_FORM = anywhere(
    LOGIN_PLEA.pattern,
    r"^\W{0,3}(?:(?:your |the )?(?:user(?: ?name|-?id)?|login|e-?mail(?: address)?|name|account|phone|password|"
    r"passwort|benutzer(?:name)?|kennwort|identifiant|utilisateur|mot de passe|usuario|contraseña|correo|usuário|"
    r"senha|utente|gebruikersnaam|wachtwoord|hasło|логин|пароль|почта|remember(?: me)?|stay signed in|or|and|"
    r"forgot|show)\b[\s:*/?!.]{0,4}){1,6}$|^[^。]{0,10}(?:パスワード|密码|密碼|비밀번호|用户名|账号|ユーザー名?|"
    r"아이디)[^。]{0,10}$|^©",
    r"^\W{0,3}(?:please )?(?:sign|log)[ -]?in (?:with|using|to|below|here)\b",
    r"^by (?:clicking|continuing|signing|joining)\b|^already (?:on|have|a)\b|^(?:new to|don['’]t have|no account)\b",
)
"""What belongs to a login itself: the plea for it and the names of its fields."""
OTHER_LOGIN = anywhere(r"continue with (?:google|facebook|apple|e-?mail|microsoft)")
LOGIN_CONTROL = anywhere(
    OTHER_LOGIN.pattern,
    r"^\W{0,3}(?:log|sign)[ -]?(?:in|on|up)\b",
    r"^(?:login|register|anmelden|einloggen|connexion|se connecter|iniciar|entrar|acced[ei]|войти|inloggen|"
    r"zaloguj|giriş yap|ログイン|登录|登錄|로그인)",
)
USER_FIELD = anywhere(
    r"user|login|e-?mail|identifier|account|session\[|phone|usr|uid|domain|workspace|tenant|organi[sz]ation"
)

CONSENT_HEAD = whole(
    r"cookies on .{1,40}",
    r"before you continue.{0,60}|(?:we|your|about your) (?:value|respect|care about)?.{0,20}privacy(?: choices| "
    r"matters| settings)?",
    r"(?:cookie|privacy|consent)[ -](?:consent|settings?|preferences?|choices|message|manager|wall|center)|sp "
    r"consent message|consent",
    r".{0,40}is part of the yahoo family of brands|.{0,40}(?:uses|and) cookies|cookies?(?: and privacy)?|manage "
    r"(?:your )?consent",
    r"(?:wir (?:respektieren|schätzen) )?ihre privatsphäre.{0,40}|datenschutz.{0,30}|cookie-einstellungen|bevor "
    r"sie fortfahren.{0,40}",
    r".{0,40}(?:mit werbung|pur-abo|mit werbung weiterlesen|mit werbung oder .{0,60})|willkommen(?: bei .{1,30})?|"
    r"zustimmung.{0,30}",
    r".{0,40}respect.{0,20}votre vie privée.{0,20}|avant d['’]accéder.{0,40}|vos choix.{0,30}|(?:tu|su) "
    r"privacidad.{0,30}",
    r"antes de continuar.{0,40}|prima di continuare.{0,40}|прежде чем продолжить.{0,30}|devam etmeden önce.{0,30}|"
    r"(?:szanujemy|cenimy) (?:twoją|państwa) prywatność|続行する前に|继续之前|繼續之前|계속하기 전에|bevor sie "
    r"(?:zu|weiter).{0,40}|vi värnar om din integritet|wij waarderen (?:jouw|uw) privacy|(?:wir|nous|we) "
    r".{0,20}(?:privacy|cookies)",
    r"(?:avec votre|with your|mit ihrer|con (?:tu|su)|com o seu|con il tuo) (?:consent\w{0,8}|accord|einwilligung|"
    r"zustimmung)\b.{0,120}",
    r"la tua privacy.{0,30}|rispettiamo la tua privacy|uw privacy.{0,30}|din integritet.{0,20}|"
    r"プライバシー.{0,20}|隐私.{0,10}",
)
CONSENT = anywhere(
    r"cookies?\b|\bconsent|\bprivacy|personali[sz]ed (?:ads|advertising|content)|our (?:\d+ |trusted )?partners|"
    r"third[- ]part(?:y|ies)",
    r"store and/or access|accept all|reject all|legitimate interest|measure (?:ads|audience|engagement|the "
    r"effectiveness)|precise location",
    r"zustimm|einwillig|datenschutz|akzeptieren|personalisierte|unsere partner|werbung|tracking|endgerät",
    r"vie privée|consentement|partenaires|traceurs|accepter|publicité|privacidad|consentimiento|socios|aceptar|"
    r"consenso|toestemming",
    r"prywatnoś|reklam|partnerzy|çerez|персонализир|рекламу|integritet|annonser|advertenties|annunci|anúncios|"
    r"同意|クッキー|cookie|隐私|个性化广告|쿠키",
)
POLICY_HEAD = anywhere(
    r"polic(?:y|ies)|notice|statement|declaration|erklärung|richtlinie|hinweise?\b|politique|política|informativa|"
    r"how .{0,30}cookies|what",
    r"politik|политика|polityka|方針|guide|explained|enable|disable|delete|clear|browser|about cookies|ポリシー|"
    r"政策|law|gdpr|dsgvo|rgpd|imprint|impressum",
)
AGREE = anywhere(
    r"\b(?:accept|agree|allow all|i consent|got it|zustimmen|akzeptieren|einverstanden|alle annehmen|accepter|"
    r"j['’]accepte|aceptar|accetta|accetto|akkoord|accepteren|godkänn|zgadzam|akceptuj|принять|согласен|kabul)\b",
    r"\beinwilligen\b|\bweiter mit werbung|mit werbung (?:weiter|lesen|fortfahren)|\bconsent (?:and|&|to)\b|continue "
    r"with ads|continuer avec (?:la )?pub|continuar con publicidad|continua con pubblicità|doorgaan met advertenties",
    r"принять все|kabul et|aceitar|akceptuję|godkänn|同意|接受|동의|모두 수락",
)
PAY_INSTEAD = anywhere(
    r"\bprenumer|\bassin(?:e|ar|atura)\b|subskry|подписк|購読|订阅|\babbonar|\bpay (?:to|[£$€]|\d)|\bpaga \d|\bpur\b|"
    r"\babo\b|-abo\b|abonn|werbefrei|ohne (?:werbung|tracking)|ad[- ]free|without (?:ads|advertising)|subscri|sans pub",
    r"suscr[ií]|suscripción|abbonat|pagamento|pay to reject|contentpass",
)


AGE = anywhere(
    r"^\W*(?:are you|confirm (?:that )?you are|please confirm (?:that )?you are) (?:at least |over |of |aged |"
    r"above )?(?:the )?(?:legal (?:drinking |smoking )?age|1[68]|21)\b",
    r"must be (?:at least |over |of )?(?:legal (?:drinking |smoking )?age|1[68]|21)(?: years?)?(?: old| of "
    r"age)?(?: or (?:older|over|above))? (?:to|in order to) (?:(?:enter|continue|proceed)(?: (?:this|the|our) "
    r"(?:web ?)?(?:site|page|store|shop))?\W*$|(?:enter|view|visit|access|see|use) (?:this|our|the (?:web|site|"
    r"page|content)))",
    r"^\W*age (?:verification|check|gate|restricted)|^\W*(?:please )?verify your age|enter your (?:date of birth|"
    r"birth ?date)",
    r"^\W*(?:sind sie|bist du|ich bin) (?:bereits |schon |mindestens |über )*18|altersprüfung|^\W*avez-vous "
    r"(?:plus de )?18 ans|^\W*êtes-vous majeur|^\W*vous devez (?:avoir|être) .{0,12}(?:18 ans|majeur)|^\W*sind "
    r"sie volljährig|^\W*sei maggiorenne|^\W*você é maior",
    r"^\W*debe(?:s)? ser mayor de (?:edad|18)|^\W*(?:você|tem) (?:é|mais de) (?:maior de )?18",
    r"^\W*¿?(?:eres|es usted) mayor de (?:edad|18)|^\W*hai (?:più di |almeno )?18 anni|^\W*вам (?:уже )?(?:есть|"
    r"исполнилось) 18",
    r"18歳以上ですか|年齢確認|(?:是否|已)(?:年)?满18",
)
AGE_CONTROL = anywhere(
    r"^\W*(?:yes|enter|i am|i['’]m|continue|confirm|verify|submit|ja\b|oui|s[íi]\b|да\b|はい|是|进入|entrar|entra)"
)

SCRIPT_NOTE = anywhere(
    r"(?:enable|activate|turn on|requires?|need|without|allow|switch on) (?:to (?:enable|run|have|use) "
    r")?(?:cookies and )?java ?script",
    r"java ?script (?:(?:is|was|appears to be) )?(?:(?:currently )?(?:disabled|off|not (?:available|enabled|"
    r"supported))|required|must|enabled)",
    r"javascript (?:zu )?aktivieren|javascript ist (?:deaktiviert|erforderlich)|activer javascript|javascript est "
    r"(?:désactivé|requis)|(?:habilit|activ)(?:a|e|ar) (?:el |o )?javascript",
    r"(?:abilita|attiva)(?:re)? javascript|javascript ?(?:を有効|が無効)|включит[еь] javascript|启用 ?javascript|"
    r"javascript를|browser (?:is (?:no longer|not) supported|doesn['’]t support)",
)
"""Written for browsers without scripts, where nothing else is said."""
HOW_TO = anywhere(
    r"^\W*(?:how|why|what|when|wie|warum|was|comment|pourquoi|cómo|por qué|qué|como|come|perché|как|почему|hoe|jak)\b",
    r"方法|とは|なぜ|如何|怎么|怎麼|为什么|하는 법|nasıl|nedir|que faire|was tun|qué hacer|what now",
)
WIDGET = anywhere(
    r"recaptcha/(?:api|enterprise)|hcaptcha|turnstile|friendly-?captcha|smartcaptcha|geetest|altcha|/captcha"
)
