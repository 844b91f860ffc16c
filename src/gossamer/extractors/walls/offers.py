"""What is said where a page has to be paid for, where a domain is for sale, and where a server has no site yet."""

import re

from gossamer.extractors.walls.phrasing import opening, whole

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
