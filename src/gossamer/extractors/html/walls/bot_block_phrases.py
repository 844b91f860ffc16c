"""Phrases of bot blocks: to visitors who are taken for programs, who ask too often or who may not enter.

Each is a sentence to the reader, in the languages of the web; a text that reports such sentences begins otherwise.
"""

from gossamer.extractors.html.walls.phrases import anywhere, opening, whole

_SITE = r"(?:\S{3,80} )?"
QUESTION = opening(
    r"(?:we (?:just |first |only )?(?:need to|want to|have to|would like to|can(?:['’]t|not)) |this (?:page|step|"
    r"check|process) |this page is displayed while [^.!?]{0,40}|(?:activate|press|click)\b[^.!?]{0,40} (?:to|and) "
    r")?(?:verify|verifies|verifying|confirm|prove|make sure|making sure|checks?|checking|ensure|show|let us "
    r"know)\b[^.!?]{0,60}?\b(?:you(?:['’]re| are)|it['’]s really you)\b[^.!?]{0,40}?\b(?:human|robot|bot|real "
    r"person)\b",
    r"(?:complete|solve|pass) (?:the|this) (?:captcha|security check|challenge|puzzle)",
    r"(?:our systems?(?: have| has)? |we(?:['’]ve| have) )?detected (?:unusual|suspicious|automated) (?:traffic|"
    r"activity|requests|behaviou?r)\b[^.!?]{0,20}(?:your|this) ",
    _SITE + r"(?:needs to review|is checking|checking) the (?:security of your connection|site connection security)",
    r"(?:stand by,? |hold on,? |wait,? )?(?:while )?(?:we(?:['’]re| are) )?(?:checking|verifying|inspecting) "
    r"(?:if the site connection|your (?:browser|connection|request))|complete the (?:task|action|steps?)\b|"
    r"performing security verification",
    r"(?:enter|type) the (?:characters|letters|code|text|words?|numbers?) (?:you see|shown (?:in|below|above)|"
    r"from (?:the|this) (?:image|picture)|in (?:the|this) (?:image|picture)|below)",
    r"(?:slide (?:right|the \w{1,12})|drag the \w{1,12})\b[^.!?]{0,30} to (?:verify|complete|secure)",
    r"press (?:&|and) hold (?:the button )?to (?:confirm|verify|prove)|click the button below to continue shopping",
    r"enable (?:js|javascript) and (?:disable (?:any|your) ad ?blocker|cookies to continue)",
    r"(?:as you were browsing,? )?something about your browser made us think",
    r"wait while (?:your request is being verified|we verify)|we['’]re verifying your browser",
    r"(?:wir müssen |diese seite |diese seite wird angezeigt, [^.!?]{0,30})?(?:bestätig|überprüf|verifizier|"
    r"beweis|vergewisser)\w{0,6}\b[^.!?]{0,60}\b(?:mensch|roboter|robot|bot)\b|sicherheitsüberprüfung wird "
    r"durchgeführt",
    r"(?:unsere systeme|wir) haben [^.!?]{0,20}(?:ungewöhnlich|verdächtig)|" + _SITE + r"muss die sicherheit ihrer "
    r"verbindung|geben sie die (?:zeichen|buchstaben)|lösen sie [^.!?]{0,20}(?:captcha|aufgabe)|wir "
    r"(?:über)?prüfen (?:ihren|deinen) browser",
    r"(?:nous (?:avons besoin de|devons) |cette page permet de )?(?:vérifi|confirm|prouv)(?:ez|"
    r"er)\b[^.!?]{0,60}\b(?:humain|robot)\b|nos systèmes ont détecté un trafic|(?:patienter )?(?:pendant que "
    r")?nous (?:vérifions|"
    r"contrôlons) votre navigateur|" + _SITE + r"doit vérifier la sécurité de votre|"
    r"faites glisser[^.!?]{0,40}(?:puzzle|vérif|captcha)|(?:résolvez|complétez) [^.!?]{0,12}captcha",
    r"(?:verifica|verifique|confirma|confirme|demuestra|demuestre|comprueba|esta página "
    r"comprueba)\b[^.!?]{0,60}\b(?:humano|robot|robô|umano)\b|nuestros sistemas han detectado|estamos "
    r"(?:comprobando|verificando) (?:tu|su|"
    r"seu|o seu) navegador|resuelv[ae] [^.!?]{0,12}captcha|" + _SITE + r"necesita (?:revisar|verificar) la seguridad",
    r"(?:prove|comprove|verifique|confirme) que (?:você )?(?:é|não é)\b[^.!?]{0,20}\b(?:human[oa]|robô|robot)\b|"
    r"nossos sistemas detectaram|" + _SITE + r"precisa (?:verificar|analisar) a segurança",
    r"(?:verifica di|conferma che|conferma di|dimostra che|dimostra di)\b[^.!?]{0,30}\b(?:uman[oa]|robot)\b|"
    r"i nostri sistemi hanno rilevato|stiamo (?:verificando|controllando) il (?:tuo )?browser|" + _SITE + r"deve "
    r"verificare la sicurezza",
    r"(?:подтвердите|докажите)\b[^.!?]{0,60}(?:человек|робот)|(?:мы зарегистрировали|наши системы обнаружили) "
    r"подозрительн|с помощью этой страницы мы сможем определить|провер(?:ка|яем ваш) браузер|решите капчу|"
    r".{0,60}?необходимо проверить безопасность вашего|.{0,60}?похожи на автоматические",
    r"[^。]{0,40}(?:人間|ロボット)[^。]{0,24}(?:確認|証明)[^。]{0,12}(?:ください|必要があります|ためです|ものです|"
    r"させて|しています)|[^。]{0,40}通常と異なるトラフィックが検出|[^。]{0,30}文字を入力してください|"
    r"[^。]{0,40}接続のセキュリティを確認",
    r"(?:请|請|完成)[^。]{0,20}(?:验证|驗證|确认|確認|证明)[^。]{0,10}(?:真人|人类|人類|机器人|機器人)|"
    r"(?:亲，?)?[请請][^。]{0,20}(?:滑块|滑塊|拼图|验证码)[^。]{0,12}(?:验证|输入|继续|$)|"
    r"(?:为[^。，]{2,24}，)?请(?:先)?完成[^。]{0,8}验证|(?:系统|我们)?(?:检测|监测|檢測)到[^。]{0,20}(?:异常|異常|"
    r"可疑)|[^。]{0,60}需要先?(?:检查|檢閱|檢查)您的?(?:连接|連線)",
    r"[^.]{0,30}(?:사람인지|로봇이 아[^.]{1,8}) (?:확인|증명)(?:하|해)|비정상적인 (?:접근|트래픽|요청)이 감지|"
    r"자동 ?(?:입력|가입) ?방지 ?문자를 입력|.{0,40}?연결 보안을 검토",
    r"(?:verifieer|bevestig) dat [uj]\w{0,4} (?:een mens|geen robot)|"
    + _SITE
    + r"moet de veiligheid van uw verbinding",
    r"(?:potwierdź|udowodnij), że [^.!?]{0,20}(?:człowiek|robot)|.{0,60}?musi sprawdzić bezpieczeństwo twojego",
    r".{0,60}?(?:insan|robot) ol(?:duğunuzu|madığınızı) (?:doğrulay|kanıtlay|onaylay)|.{0,60}?bağlantınızın "
    r"güvenliğini",
    r"(?:تحقق|أكد|تأكد|يرجى)[^.!?]{0,60}(?:إنسان|بشر|روبوت)|.{0,60}?مراجعة أمان اتصالك",
    r"(?:pastikan|verifikasi|konfirmasi)\b[^.!?]{0,30}\b(?:manusia|robot)\b|" + _SITE + r"perlu meninjau keamanan",
)
"""The visitor is to prove being human, or a machine is finding out."""
QUESTION_HEAD = whole(
    r"pardon our interruption|(?:additional |human |security |browser |bot )verification(?: required)?",
    r"robot or human|robot challenge screen|are you (?:a )?(?:human|robot)|security (?:check(?:point)?|challenge)",
    r"making sure you['’]re not a bot|one more step|verif(?:y|ying) you are (?:a )?human|captcha",
    r"sicherheits(?:abfrage|überprüfung|prüfung)|vérification de sécurité|(?:verificación|comprobación) de seguridad",
    r"verificação de segurança|(?:controllo|verifica) di sicurezza|проверка (?:безопасности|браузера)",
    r"アクセス確認|セキュリティ(?:チェック|確認)|安全验证|人机验证|安全驗證|보안 (?:확인|인증)",
)

LIMIT = opening(
    r"(?:(?:http |error |status )*429\W{1,4})?(?:sorry, )?too many requests(?:\W{0,3}[\w-]{0,12}\W*$|"
    r"\W{1,3}(?:please|try|slow)| from (?:you|this))",
    r"you(?:['’]ve| have) (?:sent|made|submitted) too many requests",
    r"you(?:['’]ve| have) (?:exceeded|reached|hit)\b[^.!?]{0,40}\b(?:requests|(?:rate|request|usage)s? limit)",
    r"(?:request|traffic) limit (?:exceeded|reached)|(?:das |ihr )?anfrage-?limit\b[^.!?]{0,20}(?:überschritten|"
    r"erreicht)",
    r"vous avez (?:dépassé|atteint)[^.!?]{0,30}requêtes|(?:has|ha) (?:superado|excedido|"
    r"alcanzado)[^.!?]{0,30}(?:solicitudes|peticiones)|você (?:excedeu|atingiu)[^.!?]{0,30}(?:solicitações|"
    r"requisições)|hai (?:superato|raggiunto)[^.!?]{0,30}richieste|(?:превышен|вы превысили)[^.!?]{0,30}запрос",
    r"(?:请求|访问)[^。]{0,6}超[过出][^。]{0,6}限|リクエスト数?の?(?:上限|制限)を超え|요청 (?:한도|횟수)를? 초과",
    r"you(?:['’]re| are) (?:requesting|loading|opening|browsing|sending)\b[^.!?]{0,30}\btoo (?:fast|quickly|often)",
    r"you(?:['’]re| are) (?:going too fast|being rate.limited|(?:making|sending) (?:too many requests|requests too))",
    r"(?:api |request )?rate limit(?: was| has been)? (?:exceeded|reached)|[^.!?]{0,60}seen too many requests from you",
    r"(?:this|the) (?:resource|page|site|request) is being rate.limited\W*$",
    r"the user has sent too many requests in a given amount of time\W*$|(?:sie rufen|du rufst) zu viele seiten",
    r"(?:(?:sie haben|du hast) [^.!?]{0,30})?zu viele (?:anfragen|zugriffe)(?:\W*$| (?:gesendet|gestellt))",
    r"(?:vous avez (?:effectué|envoyé|fait) )?trop de (?:requêtes|demandes)\W*$",
    r"(?:(?:has|ha) (?:hecho|enviado|realizado) )?demasiadas (?:solicitudes|peticiones)\W*$",
    r"(?:você (?:fez|enviou) )?(?:muitas|demasiadas) (?:solicitações|requisições)\W*$",
    r"(?:hai (?:effettuato|inviato) )?troppe richieste\W*$",
    r"(?:вы отправили |вы сделали )?слишком много (?:запросов|обращений)\W*$",
    r"you(?:['’]re| are) (?:now in (?:line|the queue)|in (?:line|the queue|a queue|the waiting room)\W*$)|sie "
    r"befinden sich in der warteschlange|vous êtes (?:dans la|en) file d['’]attente|estás en la (?:cola|fila)|вы "
    r"в очереди|您正在排队",
    r"[^。]{0,10}短時間に(?:多数|大量)の(?:アクセス|リクエスト)|과도한 (?:접근|접속|요청)|"
    r"リクエスト(?:数)?が多すぎ|(?:ただいま)?アクセスが集中して(?:い|お)",
    r"您?的?(?:访问|訪問|请求|請求|操作)(?:次数)?(?:过于频繁|太频繁|過於頻繁|过多)",
    r"(?:요청|접속)이 너무 많습니다|te veel (?:verzoeken|aanvragen)\W*$|zbyt wiele (?:żądań|zapytań)\W*$|çok "
    r"fazla istek",
)

BLOCK = opening(
    r"you(?:['’]ve| have) been (?:blocked|banned)\b(?! by (?:a|my|your|his|her) )|you are unable to access\b",
    r"(?:your|this|the) (?:request|access|connection|ip(?: address)?)\b[^.!?]{0,30} (?:has been|was|is|have been) "
    r"(?:\w{3,14} )?(?:blocked|rejected|banned|flagged)",
    r"(?:this|our|the) (?:site|website|server|system|firewall) (?:has )?(?:blocked|banned) you",
    r"(?:this |the )?(?:error|block|page|message|response) (?:was|is|has been) generated by (?:mod_?security|"
    r"wordfence|(?:the|a|our) (?:\w{1,12} ){0,2}firewall)\W*$|generated by wordfence\b",
    r"your access to this (?:site|service|website) has been limited|(?:\S{1,30} ){0,3}(?:bot[- ]protection|firewall) "
    r"has (?:denied|blocked|rejected) (?:the|your|this) (?:request|access)",
    r"access to this resource on the server is denied|[^.!?]{0,30}\b(?:denied|blocked|rejected|bloquée?|bloquead[ao]|"
    r"bloccat[ao]) (?:by|par|por|da) (?:[\w'’]{1,12} ){0,3}(?:web application firewall|waf|pare-feu applicatif)\W*$",
    r"der zugriff (?:von|aus|auf|für)[^.!?]{0,40}(?:gesperrt|blockiert|verweigert)",
    r"access to this (?:page|site|website|resource) (?:has been|is|was) (?:denied|blocked|restricted)",
    r"request (?:unsuccessful|blocked)\b|(?:error: )?the request could not be satisfied|the requested url was "
    r"rejected|(?:you are seeing this page because )?automated (?:access|requests|traffic)\b[^.!?]{0,40}(?:not "
    r"(?:permitted|allowed)|blocked|prohibited)|la url solicitada (?:fue|ha sido) rechazada|l['’]url demandée a "
    r"été rejetée|we believe (?:that )?you are using automat|reference #\d|incapsula incident",
    r"sie wurden (?:blockiert|gesperrt|leider blockiert)|ihre? (?:anfrage|ip-adresse|verbindung|zugriff|"
    r"zugang)\b[^.!?]{0,60} (?:blockiert|gesperrt|abgelehnt)",
    r"vous avez été bloqué|votre (?:requête|demande|adresse ip|accès|connexion)[^.!?]{0,20} a été (?:bloqué|"
    r"refusé|rejeté)",
    r"(?:su|tu) (?:solicitud|petición|dirección ip|acceso)[^.!?]{0,20} ha sido (?:bloquead|rechazad|denegad)",
    r"(?:[oa] )?(?:sua|seu) (?:solicitação|endereço ip|acesso|ip)\b[^.!?]{0,20} foi (?:bloquead|negad|rejeitad)",
    r"(?:la tua|il tuo) (?:richiesta|indirizzo ip|accesso)\b[^.!?]{0,20} è stat[oa] (?:bloccat|rifiutat|negat)",
    r"ваш (?:ip(?:-адрес)?|запрос|доступ|адрес)\b[^.!?]{0,20}(?:заблокирован|отклон[её]н|ограничен)|вы (?:были "
    r")?заблокированы",
    r"[^。]{0,20}(?:からの|この|お客様の)(?:アクセス|リクエスト)[はが](?:制限|拒否|ブロック)(?:され|して)",
    r"您的(?:访问|请求|ip)[^。]{0,20}(?:拦截|阻止|拒绝|封禁|阻断)|[^.]{0,12}(?:접근|접속|요청)이 (?:차단|"
    r"거부)되었습니다",
)
"""Said by a service that guards the site."""
DENIAL = whole(
    r"(?:(?:http |error |status )*403\W{1,4})?(?:forbidden|access (?:is )?(?:denied|forbidden|blocked)|permission "
    r"denied)(?: error)?|(?:error )?403(?: error)?|(?:error )?401\W{0,4}(?:unauthori[sz]ed)?|not (?:authori[sz]ed|"
    r"permitted)|unauthori[sz]ed|you need access|(?:error )?(?:406\W{1,4})?not acceptable|request (?:rejected|denied|"
    r"blocked)",
    r"access denied\W{1,3}.{0,30}firewall|anfrage (?:abgelehnt|blockiert)|requête (?:refusée|bloquée)|solicitud "
    r"(?:rechazada|bloqueada)",
    r"(?:zugriff|zugang) (?:verweigert|blockiert|gesperrt)|kein zugriff|accès (?:refusé|interdit|bloqué)|acceso "
    r"(?:denegado|prohibido|bloqueado)",
    r"acesso (?:negado|restrito|bloqueado)|accesso (?:negato|vietato|bloccato)|доступ (?:запрещ[её]н|закрыт)|"
    r"アクセスが拒否されました|访问被拒绝|禁止访问|접근이? 거부(?:되었습니다)?|toegang geweigerd|odmowa dostępu",
)
GUARD = anywhere(
    r"\bip[- ]?add?ress|\bvpn\b|\bproxy\b|\bray id|reference #|incident id|automat|cortafuegos",
    r"firewall|\bwaf\b|pare-feu|bot[- ]protection|mod_?security|sucuri|wordfence|imunify|bitninja|cloudflare|akamai|"
    r"imperva|incapsula|ddos|fortiweb|fortigate|barracuda|stackpath|datadome|perimeterx|kasada|qrator|安全(?:防护|策略)",
)
"""A service that guards the site, or what it knows its visitors by."""
FORBID = anywhere(
    r"you(?:['’]re not| are not| aren['’]t) (?:authori[sz]ed|allowed|permitted) to (?:access|view|see) (?:this|the)",
    r"you (?:do not|don['’]t) have (?:the )?(?:permission|access|authori[sz]ation|rights)s? to (?:access|view|"
    r"see) (?:this|the)|you must be authenticated|^\W{0,3}request access, or switch to an account",
    r"(?:u heeft|je hebt) geen (?:rechten|toegang|toestemming)|nie masz (?:uprawnień|dostępu)|du har inte behörighet",
    r"(?:sie haben|du hast) keine berechtigung|vous n['’](?:êtes pas autorisé|avez pas (?:accès|la permission))",
    r"no tiene(?:s)? permiso|você não tem permissão|non (?:sei autorizzato|hai i permessi)|у вас нет (?:доступа|"
    r"прав)|アクセス権(?:が|限)|没有权限|您无权|권한이 없습니다",
)
GEO = anywhere(
    r"(?:(?:not|isn['’]t) (?:currently |yet )?available|unavailable|blocked|restricted|not (?:offered|accessible|"
    r"permitted)) (?:in|from|for|to)(?: (?:viewers|users|visitors|customers) (?:in|from))? your (?:current "
    r")?(?:country|region|location|area|territory|state)",
    r"only (?:works?|available|accessible|be (?:watched|viewed|accessed|streamed)) (?:in|from(?: within)?|within) "
    r"(?:the )?(?:uk|us|usa|united (?:states|kingdom)|eu\b|europe|canada|australia|germany|japan|india|certain "
    r"(?:countries|regions))",
    r"cannot be (?:played|shown|viewed|watched) in your (?:country|region)",
    r"from a country belonging to the european economic area|content is not available (?:due to|in) (?:gdpr|the eu)",
    r"in (?:ihrem|deinem|ihrer|deiner) (?:land|region) (?:leider )?nicht verfügbar|n['’]est pas disponible dans "
    r"votre (?:pays|région)|no está disponible en (?:tu|su) (?:país|región)|não está disponível n[ao] (?:sua|seu) "
    r"(?:região|país)|non è disponibile ne(?:l|lla) tu[oa] (?:paese|regione|zona)",
    r"недоступ\w{1,4} (?:в|для) ваш\w{1,4} (?:стран|регион)|お住まいの(?:国|地域)では(?:ご利用|ご覧)|"
    r"您所在的(?:国家|地区)|거주 ?(?:국가|지역)에서는|niet beschikbaar in (?:uw|jouw) (?:land|regio)|"
    r"niedostępn\w{1,2} w (?:twoim kraju|twoim regionie)|(?:ülkenizde|bölgenizde) (?:kullanılamıyor|mevcut değil)",
)
REGION = opening(
    r"(?:unfortunately,? |regrettably,? )?"
    r"(?:(?:due to|because of|owing to|under) (?:the )?(?:eu |european )?(?:gdpr|general data protection|data "
    r"protection|privacy|(?:legal|regulatory) (?:reasons|restrictions|requirements))[^.!?]{0,80}?\W{1,2})?"
    r"(?:(?:our|this|the) (?:web ?site|site|page|article|content|publication|service)s?|we)\b[^.!?]{0,60}?"
    r"(?:unavailable|not (?:currently |yet )?(?:available|accessible|offered)|cannot (?:currently )?be (?:accessed|"
    r"viewed|shown)|(?:un|not )able to (?:serve|offer|grant|provide)\b[^.!?]{0,40}|(?:blocked|restricted))"
    r"(?: at this time| currently)? (?:in|to|from|for|within)(?: (?:our )?(?:readers|visitors|users|customers|people) "
    r"(?:in|from|within))?(?: (?:most|many|some|certain|several|all))?(?: of)?(?: the)? (?:european|eu\b|eea\b|"
    r"gdpr|your (?:country|region|location|area))",
    r"we recogni[sz]e (?:that )?you are (?:attempting|trying) to access this (?:web ?site|site|page) from a country",
)
"""Said by a site that is closed to a part of the world, as the whole of what it says."""
REGION_PRINT = anywhere(
    r"engaged on the issue|committed to (?:looking at|finding)|technical compliance|digital (?:offerings|products)|"
    r"\b(?:gdpr|general data protection)\b|access (?:cannot|can['’]t) be granted|for any (?:issues|questions)|"
    r"apologi[sz]e|working (?:hard )?(?:on|to)\b[^.!?]{0,60}(?:available|access|solution|readers|europe)|"
    r"(?:^|\b)(?:contact|call|e-?mail)\b[^.!?]{0,80}(?:@|\d{3})|^\W{0,2}(?:unavailable|sorry|451)\b[^.!?]{0,40}$",
)
COOKIES = anywhere(
    r"(?:please |must |to )(?:enable|allow|accept|turn on) (?:all )?cookies (?:in|to|and|on|for|before)",
    r"cookies (?:are|appear to be|must be|need to be|seem to be) (?:currently )?(?:disabled|enabled|required|"
    r"blocked|turned off)",
    r"browser (?:is not|isn['’]t|does not|doesn['’]t) (?:set to )?accept(?:ing)? cookies|cookies? not supported",
    r"bitte (?:aktivieren|erlauben) sie cookies|veuillez (?:activer|autoriser) les cookies|(?:activa|habilita|"
    r"active|habilite)(?:r)? las cookies (?:en|para)|(?:включите|разрешите) (?:файлы )?cookie|cookie "
    r"?を有効にしてください|请启用 ?cookie",
)

NOTHING = anywhere(r"not available|unavailable|nicht verfügbar|indisponible|no disponible|indisponível|недоступ|sorry")
FINE_PRINT = anywhere(
    r"\b(?:log|sign)(?:ging|ing)? ?in\b|\bcreat(?:e|ing) an account|developer token|\bticket\b|whitelist|site owner|"
    r"\b(?:rule|support|client)[ -](?:id|ip)\b|identifiant de support|appropriate representation|bot[- ]protection|"
    r"mod_?security|wordfence|imunify|sucuri|web application firewall|response code",
    r"\bautomated\b|\btraffic\b|firewall|pare-feu|cortafuegos|\bincident\b|\battack\b|slow down|\bretry\b|soporte|"
    r"administrador|(?:tick|check) the box",
    r"\bray[ -]?id|\b(?:reference|incident|event|request|support|block|attack|error)[ -](?:id|#|code|number|\d)",
    r"\b(?:your|proxy) ip\b|\bip[- ]?(?:address|adresse|адрес)|direcci[oó]n ip|^(?:url|time|ip|host|date)\b\W",
    r"why (?:did|have|has|am|was)\b|what (?:happened|can i do)|need (?:more )?help|contact (?:us|our|the|support|"
    r"your)|(?:email|e-mail) the site|for (?:inquiries|more information)|learn more|thank you|try a different",
    r"try again|again (?:later|in)|(?:re)?load|refresh|redirect|automatic|\bseconds?\b|\bminutes?\b|patien|wait\b",
    r"java ?script|cookies|browser|plug-?in|extension|\bvpn\b|\bproxy\b|ad ?block|power user|super-?human",
    r"security (?:service|solution|system|team)|online attacks|malicious|protect|scraping|unusual activity",
    r"cloudflare|imperva|incapsula|akamai|datadome|perimeterx|human security|google|nginx|apache|openresty|litespeed",
    r"whoa there|about this page|before (?:we|you) continue|terms of (?:use|service)|conditions of use|privacy",
    r"connect to the server|inconvenience|this message|email us|navigateur|comportement|blocage|weiterhin zu "
    r"nutzen|contact support|temporary access|complete a captcha|consult|administrator|if you (?:think|believe)|"
    r"by mistake|permission to access|about the site owner|has banned|was blocked|were blocked|proxy id",
    r"\bwarten\b|patientez|attendez|espere\b|aguarde|attendi|attendere|sekunden|sicherheit|später|erneut|über diese "
    r"seite|wird automatisch|zugreifen|secondes|sécurité|réessay|plus tard|segundos|seguridad|inténtalo|inténtelo|más "
    r"tarde|segurança|novamente|mais tarde|secondi|sicurezza|riprova|più tardi|секунд|позже|подождите|попробуйте|"
    r"извин|случается|жаль",
    r"しばらく|もう一度|再度|お待ち|セキュリティ|稍后|稍後|重试|重試|刷新|秒|正常访问|亲，|잠시|다시 시도|보안|초 ",
    r"^(?:[\w-]{1,63}\.){1,4}[a-z]{2,20}$|^\W*$",
)
"""What stands beside such a sentence, and tells nothing by itself."""
