"""The words by which numbers, units, dates, negation and quantity are told in the common languages."""

from typing import NamedTuple


class Unit(NamedTuple):
    """What a unit measures, and how much of the first unit of that kind it is."""

    kind: str
    factor: float


_ABBREVIATION = 3
"""Letters of a unit that means another one in capitals: mW and MW."""


def _units() -> dict[str, Unit]:
    table = {
        "length": {
            1: "m metre metres meter meters mètre mètres metro metros metri метр метров метра 米 メートル",
            1000: "km kilometre kilometres kilometer kilometers kilomètre kilomètres kilómetro kilómetros "
            "quilômetro "
            "quilômetros chilometro chilometri км километр километров километра 公里 千米 キロメートル",
            0.01: "cm centimetre centimetres centimeter centimeters Zentimeter centímetros centimètres см 厘米",
            0.001: "mm millimetre millimetres millimeter millimeters Millimeter milímetros мм 毫米",
            1609.344: "mi mile miles Meile Meilen milla millas mille milhas miglia миль 英里 マイル",
            0.3048: "ft foot feet Fuß pies pieds piedi 英尺 フィート",
            0.0254: "inch inches Zoll pulgadas pouces 英寸 インチ",
            0.9144: "yd yard yards",
            1852: "nmi",
            9.4607e15: "light-year light-years ly",
        },
        "weight": {
            1: "kg kilogram kilograms kilogramme kilogrammes kilo kilos Kilogramm kilogramos chilogrammi кг "
            "公斤 キログラム",
            0.001: "g gram grams gramme grammes Gramm gramos grammi г 克 グラム",
            1e-6: "mg milligram milligrams",
            1000: "t tonne tonnes Tonne Tonnen tonelada toneladas тонн 吨 トン",
            907.185: "ton tons",
            0.45359: "lb lbs pound-weight Pfund libras livres",
            0.02835: "oz ounce ounces onzas",
        },
        "time": {
            1: "s sec secs second seconds Sekunde Sekunden segundo segundos seconde secondes secondi секунд 秒",
            0.001: "ms millisecond milliseconds Millisekunden milisegundos",
            60: "min mins minute minutes Minute Minuten minuto minutos minuti минут 分钟 分鐘",
            3600: "h hr hrs hour hours Stunde Stunden hora horas heure heures ore часов часа 小时 小時 時間",
            86400: "day days Tag Tage Tagen día días dia dias jour jours giorno giorni дней дня день 天 日間",
            604800: "week weeks Woche Wochen semana semanas semaine semaines settimana settimane недель 周 週間",
            2629800: "month months Monat Monate Monaten mes meses mois mese mesi месяцев месяца 个月 か月 ヶ月",
            31557600: "year years yr yrs Jahr Jahre Jahren año años ano anos an ans année années anno anni "
            "лет года 年間",
            315576000: "decade decades Jahrzehnt Jahrzehnte décadas décennies",
            3155760000: "century centuries Jahrhundert Jahrhunderte siglo siglos siècle siècles secolo "
            "secoli века 世纪 世紀",
        },
        "speed": {1: "km/h kmh kph", 1.609344: "mph", 3.6: "m/s", 1.852: "knot knots"},
        "area": {
            1: "km² km2",
            2.58999: "mi²",
            0.01: "hectare hectares ha Hektar hectáreas",
            0.00404686: "acre acres",
            1e-6: "m² m2",
        },
        "volume": {
            1: "l L litre litres liter liters Liter litros litri литров 升 リットル",
            0.001: "ml mL millilitre millilitres milliliter milliliters",
            3.78541: "gallon gallons galones",
            1000: "m³ m3",
        },
        "power": {
            1: "W watt watts",
            1000: "kW kilowatt kilowatts",
            1e6: "MW megawatt megawatts",
            1e9: "GW gigawatt gigawatts",
            745.7: "hp horsepower PS",
        },
        "energy": {1: "J joule joules", 1000: "kJ", 3.6e6: "kWh", 4184: "kcal"},
        "frequency": {1: "Hz hertz", 1000: "kHz", 1e6: "MHz", 1e9: "GHz"},
        "voltage": {1: "V volt volts Volt"},
        "size": {
            1: "B byte bytes Byte octets",
            1000: "kB KB kilobyte kilobytes",
            1e6: "MB megabyte megabytes",
            1e9: "GB gigabyte gigabytes",
            1e12: "TB terabyte terabytes",
            1024: "KiB kibibytes",
            1048576: "MiB mebibytes",
            1073741824: "GiB gibibytes",
            0.125: "bit bits Bit",
        },
        "percent": {
            1: "% percent per\u00a0cent pc Prozent porcentaje procent процентов процента 퍼센트 パーセント",
            0.1: "‰",
        },
        "celsius": {1: "°C celsius Celsius ℃"},
        "fahrenheit": {1: "°F fahrenheit Fahrenheit ℉"},
        "kelvin": {1: "kelvin kelvins"},
        "dollar": {1: "$ dollar dollars USD Dollar dólares dollari долларов 美元 ドル"},
        "euro": {1: "€ euro euros EUR Euro евро 欧元 ユーロ"},
        "pound": {1: "£ GBP pound pounds"},
        "yen": {1: "¥ yen JPY Yen 日元 円"},
        "rupee": {1: "₹ rupee rupees INR"},
        "decade": {},
    }
    return {
        name.replace("\u00a0", ""): Unit(kind, factor)
        for kind, factors in table.items()
        for factor, names in factors.items()
        for name in names.split(" ")
    }


_written = _units()
UNITS = {**{name.casefold(): unit for name, unit in _written.items() if len(name) > _ABBREVIATION}, **_written}
SPACELESS_UNITS = tuple(sorted((name for name in UNITS if name[0] > "\u2fff"), key=len, reverse=True))
"""Units of scripts that put no space before the next word."""

MULTIPLIERS = {
    name: factor
    for factor, names in {
        1e2: "hundred",
        1e3: "thousand tausend mil mille mila тысяч тысячи 千 천",
        1e4: "万 萬 만",
        1e5: "lakh lakhs",
        1e6: "million millions mn mio millionen millón millones milione milioni milhão milhões млн "
        "миллионов миллиона "
        "百万",
        1e7: "crore crores",
        1e8: "亿 億 억",
        1e9: "billion billions bn milliarde milliarden milliard milliards miliardi млрд миллиардов bilhões 十億",
        1e12: "trillion trillions tn billionen 兆 조",
        12.0: "dozen",
    }.items()
    for name in names.split()
}

_ENGLISH = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen "
    "eighteen nineteen twenty"
)
_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_OTHERS = (
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "zéro - deux trois quatre cinq six sept huit neuf dix onze douze",
    "- - due tre quattro cinque sei sette otto nove dieci undici dodici",
    "- - dois três quatro cinco seis sete oito nove dez onze doze",
    "ноль один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать",
)
_OTHER_WORDS = frozenset({"-", "sei", "elf", "due", "once"})
"""What is a common word of another language too."""
NUMBER_WORDS = {
    **{word: value for words in _OTHERS for value, word in enumerate(words.split()) if word not in _OTHER_WORDS},
    **{word: value for value, word in enumerate(_ORDINALS.split()) if value not in {1, 2}},
    **{word: value for value, word in enumerate(_ENGLISH.split()) if word != "one"},
    **{word: 10 * value for value, word in enumerate(_TENS.split(), 2)},
    "dozen": 12,
    "hundred": 100,
    "thousand": 1000,
    "million": 1_000_000,
    "billion": 1_000_000_000,
}
TENS = frozenset(range(20, 100, 10))

MONTHS = {
    name: number
    for names in (
        "january february march april may june july august september october november december",
        "jan feb mar apr may jun jul aug sep oct nov dec",
        "- - - - - - - - sept - - -",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "januari februari maart april mei juni juli augustus september oktober november december",
        "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
        "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
        "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
        "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    )
    for number, name in enumerate(names.split(), 1)
    if name != "-"
}

BOUNDS_BEFORE = tuple(
    (phrase, bound)
    for bound, phrases in {
        ">": "no less than|no fewer than|not less than|at least|more than"
        "|over|above|exceeding|exceeds|upwards of|minimum of"
        "|greater than|mindestens|mehr als|über|al menos|más de|au moins|plus de|almeno|più di|pelo menos"
        "|mais de|более"
        "|不少于|超过|至少",
        "<": "no more than|not more than|at most|less than|fewer than"
        "|under|below|up to|maximum of|almost|nearly|höchstens"
        "|weniger als|bis zu|como máximo|menos de|au plus|moins de"
        "|al massimo|meno di|no máximo|менее|不超过|最多|少于",
        "~": "about|around|approximately|roughly|some|circa|c.|ca."
        "|etwa|rund|ungefähr|unos|cerca de|alrededor de|environ"
        "|circa|около|大约|约|約",
    }.items()
    for phrase in phrases.split("|")
)
BOUNDS = (
    ("or more", ">"),
    ("or less", "<"),
    ("or fewer", "<"),
    ("+", ">"),
    ("以上", ">"),
    ("以下", "<"),
    ("左右", "~"),
)
