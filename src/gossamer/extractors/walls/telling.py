"""How a text that tells of walls, teaches or reports them is known from a wall, which speaks to its visitor."""

from gossamer.extractors.walls.phrasing import anywhere

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
"""Somebody speaks to the reader, or of the very page; scripts in which that is left unsaid always do."""
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
"""Said to who builds such a page."""
REPORT = anywhere(
    r"[,!?.…][\"”»’“]?\s(?:\w{1,12}\s){0,2}?(?:said|says|sang|read|reads|wrote|writes|replied|cried|shouted|whispered|"
    r"announced|sagte|sagt|rief|schrieb|stand da|dit|disait|lisait|criait|dijo|decía|gritó|disse|dizia|gridò|diceva|"
    r"сказал\w?|говорил\w?|написал\w?|zei|powiedział\w?|sa han|sa hon)\b",
    r"[」』](?:と|って)(?:言|書|叫|話)|[”」』]?(?:他|她|他们)说",
)
"""Words that somebody else has said or written."""
WHENEVER = anywhere(
    r"[^,;.!?]{0,40}?\b(?:when|if|whenever) (?:the|a|an|it|he|she|they|some)\b",
    r"\W{0,2}(?:when|whenever|if|wenn|falls|lorsqu\w{0,2}|quand|si|cuando|quando|se|если|когда)\b",
)
"""After a sentence's beginning: what it says holds in certain cases, and not of this visit."""
