"""What walls say, in the languages of the web: whole headings, sentences, buttons. Every pattern is bounded."""

from gossamer.extractors.walls.phrasing import anywhere, whole

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
