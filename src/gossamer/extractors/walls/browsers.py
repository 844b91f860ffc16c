"""What is said to who comes with a browser that a site does not serve, in the languages of the web."""

from gossamer.extractors.walls.phrasing import either

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
