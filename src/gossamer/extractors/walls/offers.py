"""What is said where a page has to be paid for, where a domain is for sale, and where a server has no site yet."""

import re

PAY = re.compile(
    r"(?:subscribe|register|sign (?:up|in)|log ?in|join|upgrade|create (?:a|an|your) (?:free )?account|"
    r"become a (?:member|subscriber))\b[^.!?]{0,50}"
    r"to (?:continue|keep|finish|read|unlock) (?:reading|the (?:full|rest|whole|entire)|this (?:article|story|post)|"
    r"the story|more of this)|"
    r"to (?:continue|keep) reading(?: this)?(?:,| (?:article|story|post|for))|^\W{0,3}(?:continue|"
    r"keep) reading (?:with|for|by|your)\b|"
    r"(?:this|the (?:rest|remainder) of this|the full) (?:article|content|story|post|episode|issue|"
    r"report)s? (?:is|are) "
    r"(?:only )?(?:for|reserved for|exclusive(?:ly)? (?:to|for)|available (?:only )?(?:to|for)|locked for|"
    r"limited to) "
    r"(?:our |paid |paying |premium |registered )*(?:subscribers|members)(?! of)|"
    r"member[- ]only (?:story|article|content)|subscriber[- ]only (?:story|article|content)|subscribers[- ]only|"
    r"you(?:['’]ve| have) (?:reached|used|read|hit|viewed)[^.!?]{0,60}(?:free|complimentary|"
    r"limit)[^.!?]{0,20}(?:articles?|stories|limit|month|today)|"
    r"(?:unlock|get full access to) (?:this|the (?:full|whole)) (?:article|story|post)|read the (?:full|"
    r"rest of (?:the|this)) (?:story|article) with|"
    r"(?:to|and) (?:read|unlock) the (?:full|rest|whole)[^.!?]{0,30}(?:subscri|member|sign|log)|"
    r"(?:jetzt |diesen artikel |artikel )?weiterlesen mit|(?:lesen sie|jetzt) (?:diesen artikel |"
    r"alle artikel )?mit .{0,20}(?:abo|plus|\+)|"
    r"(?:dieser|diesen) (?:artikel|inhalt|text)[^.!?]{0,30}(?:abonnent|nur mit|exklusiv für|kostenpflichtig)|"
    r"(?:(?:cet|ce|cette|la|le) )?(?:article|contenu|suite|lecture)[^.!?]{0,30} réservée?s? (?:à nos |aux )abonn|"
    r"il vous reste [\d.,]{1,5} ?% de cet article|"
    r"(?:pour|afin de) (?:continuer|poursuivre|lire) (?:la|votre|cet) (?:lecture|article|suite)|"
    r"para (?:seguir|continuar) leyendo|(?:este )?(?:contenido|artículo)(?: es)? (?:exclusivo|solo) para "
    r"(?:suscriptores|socios)|"
    r"continue lendo|(?:este )?conteúdo (?:é )?exclusivo para assinantes|"
    r"per continuare a leggere|(?:questo )?(?:contenuto|articolo)(?: è)? (?:riservato|"
    r"esclusivo)[^.!?]{0,20}abbonati|dit artikel is (?:exclusief|alleen) voor abonnees|lees (?:verder|"
    r"dit artikel) (?:met|voor|onbeperkt)|"
    r"(?:dalsza część|pełna treść|treść)[^.!?]{0,40}(?:prenumerator|subskry|dostępem)|(?:читать|"
    r"доступ)[^.!?]{0,30}(?:по подписке|подписчик)|"
    r"この記事は(?:有料)?会員限定|会員限定(?:記事|です)|有料会員(?:限定|になると|の方)|続きを読むには|"
    r"残り[:：]?\s*[\d,]{1,6} ?文字|"
    r"(?:订阅|付费|登录|购买)(?:后|即可)?(?:继续)?(?:阅读|查看)(?:全文|剩余)?|本文(?:为|是)(?:付费|会员)|(?:剩余|"
    r"余下)[^。]{0,10}(?:付费|订阅)|유료 회원|"
    r"구독자 전용",
    re.IGNORECASE,
)
"""Said of the page itself, in a short block of its own."""
PAY_HINT = re.compile(
    r"already a (?:subscriber|member)|subscribe (?:now|today)|cancel any ?time|free trial|per month|/month|"
    r"a week\b|digital (?:access|subscription)|"
    r"unlimited access|subscription|abonn|probemonat|jetzt testen|suscr[ií]b|abbonati|prenumer|подписк|有料|"
    r"会員登録|购买|"
    r"订阅|구독",
    re.IGNORECASE,
)
PAYBOX = re.compile(
    r"pay-?wall|subscriber-?only|premium-?(?:content|wall|box)|reg-?wall|piano-|meter-?wall|subscribe-?wall",
    re.IGNORECASE,
)

_DOMAIN = r"[\w-]{1,63}(?:\.[\w-]{2,20}){1,2}"
SALE = re.compile(
    rf"{_DOMAIN}\W{{0,3}}(?:is|may be|might be) (?:available )?(?:for sale|available for purchase)|"
    r"(?:this|the) (?:web ?)?(?:domain|site)(?: name)? (?:\S{1,80} )?(?:is|may be|might be) (?:available |"
    r"listed )?(?:for (?:sale|purchase)|parked)|"
    r"(?:buy|get|own|purchase) this domain|(?:inquire|enquire) about this domain|interested in (?:this|"
    r"buying this) domain|"
    r"parked (?:free|domain|by)|domain (?:parking|is parked)|(?:this|"
    r"the) domain (?:name )?(?:\S{1,80} )?(?:has expired|is registered|was recently registered|"
    r"has (?:just |recently )?been registered|is pending renewal)|"
    r"(?:diese |die )?domain\S{0,3} (?:\S{1,80} )?(?:steht zum verkauf|ist zu verkaufen|ist geparkt|"
    r"wurde registriert)|domain kaufen|"
    r"(?:ce |le )?(?:nom de )?domaine (?:\S{1,80} )?est (?:peut-être )?(?:à vendre|en vente|réservé)|"
    r"(?:este )?dominio (?:\S{1,80} )?est[aá] (?:en|a la|à) venta|"
    r"(?:questo )?dominio (?:\S{1,80} )?è in vendita|домен(?:ное имя)? (?:\S{1,80} )?(?:продается|продаётся|"
    r"припаркован|зарегистрирован)|"
    r"このドメインは|域名(?:正在)?(?:出售|转让)|此域名",
    re.IGNORECASE,
)
SALE_HEAD = re.compile(
    rf"\W{{0,3}}(?:the )?(?:domain(?: name)? )?{_DOMAIN}(?:\W{{0,3}}(?:is|may be) (?:available )?(?:for sale|"
    rf"parked).{{0,20}}|)",
    re.IGNORECASE,
)
SALE_CONTROL = re.compile(
    r"buy (?:now|this|the|it)|make (?:an )?offer|get (?:this|a|the) (?:domain|price|quote)|inquire|contact (?:us|"
    r"seller|owner|the)|learn more|"
    r"lease to own|renew|see price|kaufen|anfragen|offre|oferta|offerta|купить|related (?:searches|links)|"
    r"verwandte suchen",
    re.IGNORECASE,
)
PARKING_MARK = re.compile(
    r"sedoparking|parkingcrew|bodis\.com|parklogic|parkweb|hugedomains\.com|afternic\.com|dan\.com|"
    r"undeveloped\.com|domainmarket\.com|"
    r"uniregistry|skenzo|voodoo\.com|efty\.com|domain_profile\.cfm|parking-lander|parking\.namecheap|/lander\b|"
    r"window\.park\b|adsense/domains|"
    r"namebright|cdn-image\.com|above\.com/marketplace|dynadot\.com/(?:parking|market)|registrar-servers|"
    r"porkbun\.com/parked|atom\.com/lander",
    re.IGNORECASE,
)

DEFAULT_TITLE = re.compile(
    r"welcome to (?:nginx|openresty|tengine|caddy|centos|lighttpd)!?.{0,40}|"
    r"apache2? (?:\w{1,20} ){0,3}default page.{0,30}|"
    r"(?:test page for the )?(?:apache|nginx|http server|the apache http server|"
    r"the nginx http server).{0,20} test page.{0,60}|"
    r"test page for the .{0,60}|iis(?: windows(?: server)?|\d{1,2})?|it works!?|caddy works!?|"
    r"default (?:web site |server |parallels plesk )?page.{0,30}|plesk default page|domain default page|"
    r"web server'?s default page|your (?:new )?(?:web ?site|web space|server) is ready.{0,40}",
    re.IGNORECASE,
)
DEFAULT_SAYS = re.compile(
    r"successfully installed|default (?:web ?)?page|/var/www|/usr/share/(?:nginx|httpd|doc)|"
    r"internet information services|"
    r"further configuration is required|server (?:is )?(?:up and )?running|there is no (?:web ?site|content)|"
    r"no web ?site (?:is )?(?:configured|at this)|"
    r"replace this (?:page|file)|proper operation of|cpanel|plesk|windows server",
    re.IGNORECASE,
)
