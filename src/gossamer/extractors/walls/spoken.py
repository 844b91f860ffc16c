"""Sentences to a visitor who is suspected, by what they are made of instead of by how they begin.

Sites word their walls as they like, but they say of their reader, in this very visit, to be human or not. A text about
such walls speaks of "when", of "if", of others.
"""

from gossamer.extractors.walls.phrasing import anywhere

SUSPICION = anywhere(
    r"\byou(?:['’]re| are| were| (?:might|may|could|must) be)(?: (?:really|indeed|actually|not|a|an|no|the|"
    r"real)){0,4} (?:humans?|robots?|bots?|person|automated program)\b(?! (?!being|or|and|to|by|before|in)\w)",
    r"\b(?:unusual|suspicious|automated) (?:traffic|activity|behavio\w{1,3}|requests)\b[^.!?]{0,30}\byour (?:ip|"
    r"network|browser|device|computer)\b",
    r"\byour (?:browser|network|ip|device|behavio\w{1,3}|browsing)\b[^.!?]{0,40}\b(?:unusual|suspicious|automated|"
    r"paused)\b",
    r"\b(?:sie|du)(?: bist| sind| wirklich| k?ein){1,3} (?:mensch|roboter|bot)\b|\b(?:dich|sie) [^.!?]{0,30}als "
    r"(?:roboter|bot)\b|dass (?:sie|du) k?ein (?:mensch|roboter|bot)\b",
    r"\bvous (?:n['’])?êtes(?: bien| pas| un){0,3} (?:humain|robot)\b|vous [^.!?]{0,40}vitesse surhumaine",
    r"\b(?:eres|es)(?: un| una| usuario| ser| no){0,3} (?:humano|robot|persona)\b|\bvocê(?: não)? é(?: um)? "
    r"(?:humano|robô)\b|\b(?:sei|di essere)(?: un| un essere){0,1} (?:umano|robot)\b|\btu(?: non)? sia(?: un)? "
    r"(?:robot|umano)\b|\b(?:je|u) (?:een mens|geen robot)\b",
    r"\bвы(?: не)? (?:человек|робот|бот)\b|(?:あなた|お客様)が(?:人間|ロボット)|您(?:不)?是(?:真人|机器人|人类)|"
    r"从您的 ?ip|(?:insan|robot) olduğunuz|robot olmadığınız|로봇이 아(?:님|닌)",
)
"""The reader is said to be human or a machine, or to behave like one."""
CHECK = anywhere(
    r"verif|confirm|\bsure\b|\bcheck|\btell\b|\bprove\b|\bshow\b|detect|believe|think|prüf|bestätig|identifizier|"
    r"sicher|убед|vérif|assur|comprob|asegur|conferm|провер|подтверд|определ|確認|証明|検出|验证|驗證|确认|检测|"
    r"확인|증명|감지|zeker|controle|doğrula|tespit|sprawd|potwierd|surhumaine|paused"
)
"""That somebody is finding out."""
IN_GENERAL = anywhere(
    r"^\W{0,3}(?:when|if|once|whenever|sites|wenn|falls|sobald|lorsque|si|quand|cuando|quando|se|если|когда)\b"
)
OF_IT = anywhere(
    r"\b(?:robots?|bots?|humans?|real person|captcha|puzzle)\b|verif|\b(?:blocked|banned|denied|restricted|paused)\b",
    r"roboter|\bmensch\b|humain|\brobot|humano|umano|robô|робот|человек|капч|ロボット|人間|机器人|機器人|真人|"
    r"验证|驗證|异常|로봇|사람|insan|człowiek|trafi[ck]|datenverkehr|blockier|gesperrt|verweigert|keinen zugriff|"
    r"bloqué|refusé|bloquead|denegad|negado|bloccat|заблокирован|запрещ[её]н|ограничен|制限|拒否|禁止|拦截|拒绝|"
    r"차단|제한",
)
"""What else is said on such a page."""
