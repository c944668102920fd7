"""The units of measure that are read out in full: what each symbol stands for, singular and plural.

Data and a lookup; knows nothing of the figure before a unit. Pure; any thread may call it.
"""

from __future__ import annotations

from functools import lru_cache

from pipeline.text.english.tables import pairs, words

UNITS = pairs(
    """nm nanometer; µm micrometer; μm micrometer; um micrometer; mm millimeter; cm centimeter; dm
    decimeter; m meter; km kilometer; in inch; ft foot; yd yard; yds yard; mi mile; nmi nautical mile;
    ly light year; px pixel; ng nanogram; µg microgram; μg microgram; mcg microgram; mg milligram; g
    gram; kg kilogram; kgs kilogram; lb pound; lbs pound; oz ounce; µl microliter; µL microliter; μL
    microliter; ml milliliter; mL milliliter; cl centiliter; cL centiliter; dl deciliter; dL deciliter;
    l liter; L liter; hl hectoliter; gal gallon; gals gallon; qt quart; qts quart; tsp teaspoon; tsps
    teaspoon; tbsp tablespoon; tbsps tablespoon; Tbsp tablespoon; cc cubic centimeter; ha hectare; sqft
    square foot; sqm square meter; ns nanosecond; µs microsecond; μs microsecond; us microsecond; ms
    millisecond; msec millisecond; msecs millisecond; s second; sec second; secs second; min minute;
    mins minute; h hour; hr hour; hrs hour; wk week; wks week; mo month; mos month; yr year; yrs year;
    mph mile per hour; kph kilometer per hour; kmh kilometer per hour; kmph kilometer per hour; mps
    meter per second; kn knot; kt knot; kts knot; mpg mile per gallon; rpm revolution per minute; RPM
    revolution per minute; bpm beat per minute; BPM beat per minute; fps frame per second; FPS frame per
    second; wpm word per minute; WPM word per minute; ppm part per million; ppb part per billion; dpi
    dot per inch; DPI dot per inch; ppi pixel per inch; psi pound per square inch; PSI pound per square
    inch; W watt; mW milliwatt; kW kilowatt; KW kilowatt; MW megawatt; GW gigawatt; TW terawatt; Wh watt
    hour; mWh milliwatt hour; kWh kilowatt hour; KWh kilowatt hour; kwh kilowatt hour; KWH kilowatt
    hour; MWh megawatt hour; GWh gigawatt hour; TWh terawatt hour; V volt; mV millivolt; kV kilovolt; mA
    milliamp; µA microamp; A amp; mAh milliamp hour; Ah amp hour; VA volt ampere; kVA kilovolt ampere; Ω
    ohm; Ω ohm; kΩ kiloohm; kΩ kiloohm; MΩ megaohm; MΩ megaohm; µF microfarad; nF nanofarad; pF
    picofarad; kJ kilojoule; MJ megajoule; eV electronvolt; keV kiloelectronvolt; MeV megaelectronvolt;
    GeV gigaelectronvolt; cal calorie; cals calorie; kcal kilocalorie; kcals kilocalorie; BTU B T U; hp
    horsepower; Nm newton meter; kN kilonewton; Pa pascal; hPa hectopascal; kPa kilopascal; MPa
    megapascal; mbar millibar; mmHg millimeter of mercury; atm atmosphere; N·m newton meter; N⋅m newton
    meter; deg degree; pt point; pts point; pkg package; pkgs package; doz dozen; bps basis point; c
    cup; mol mole; mmol millimole; µmol micromole; lm lumen; lx lux; Hz hertz; hz hertz; kHz kilohertz;
    khz kilohertz; KHz kilohertz; MHz megahertz; Mhz megahertz; mhz megahertz; GHz gigahertz; Ghz
    gigahertz; ghz gigahertz; THz terahertz; dB decibel; db decibel; dBA decibel; dBm decibel milliwatt;
    kb kilobit; kB kilobyte; KB kilobyte; MB megabyte; mb megabyte; GB gigabyte; gb gigabyte; TB
    terabyte; tb terabyte; PB petabyte; EB exabyte; KiB kibibyte; MiB mebibyte; GiB gibibyte; TiB
    tebibyte; Kb kilobit; Mb megabit; Gb gigabit; Tb terabit; kbit kilobit; Mbit megabit; Gbit gigabit;
    kbps kilobit per second; Kbps kilobit per second; kbit kilobit; Mbps megabit per second; mbps
    megabit per second; Gbps gigabit per second; gbps gigabit per second; Tbps terabit per second; MBps
    megabyte per second; MP megapixel; Mpx megapixel; K kelvin; % percent; ‰ per mille; ％ percent; °
    degree; º degree; ℃ degree Celsius; ℉ degree Fahrenheit; C degree Celsius; F degree Fahrenheit; °C
    degree Celsius; °c degree Celsius; ºC degree Celsius; °F degree Fahrenheit; °f degree Fahrenheit; ºF
    degree Fahrenheit; °K kelvin; degC degree Celsius; degF degree Fahrenheit; °N degree north; °S
    degree south; °E degree east; °W degree west; ′ foot; ″ inch"""
)
"""The singular of each symbol."""

_KINDS = {"sq": "square", "cu": "cubic", "fl": "fluid"}

PER = UNITS | pairs(
    """d day; day day; week week; month month; year year; y year; a year; hour hour; minute minute; second
    second; night night; person person; user user; seat seat; unit unit; item item; piece piece; pc piece;
    ea each; share share; mile mile; acre acre; lb pound; kg kilogram; gallon gallon; liter liter; litre
    liter; foot foot; inch inch; ft foot; in inch; sq square; head head; capita capita; member member;
    ticket ticket; student student; device device; request request; call call; token token; image image;
    page page; word word; line line; box box; bottle bottle; cup cup; serving serving; session session;
    class class; lesson lesson; visit visit; page page; trip trip; ride ride; point point; child child;
    adult adult; barrel barrel; bbl barrel; ton ton; tonne tonne; t ton; pp person; beat beat; game game;
    min minute; inch inch; cell cell; core core; node node; GPU G P U; employee employee; household
    household"""
)
"""What may stand behind a slash: "$10/month", "5 mg/kg"."""

NEVER_APART = words("in us um mo A")
"""Symbols that are words, or initials, unless they touch their figure."""

DOTTED = words(
    """c deg pt pts pkg pkgs doz in ft yd yds mi lb lbs oz gal qt tsp tsps tbsp tbsps sec secs min mins hr
    hrs wk wks mo mos yr yrs"""
)
"""Symbols that are abbreviations as well, with a dot of their own."""

_PLURALS = {"foot": "feet", "inch": "inches"}
_UNCHANGING = words("dozen hertz percent mille lux horsepower kelvin T U mercury")
_UNCHANGING |= words("kilohertz megahertz gigahertz terahertz")
_LENGTHS = words("mm cm dm m km in ft yd mi nm µm μm")
_AREAS = {"²": "square", "2": "square", "³": "cubic", "3": "cubic"}


@lru_cache(maxsize=1024)
def unit_name(symbol: str) -> str | None:
    """Return the singular of a unit that may be an area or a volume: "m²", "km^2", "sq. ft"."""
    if symbol in UNITS:
        return UNITS[symbol]
    kind, _, rest = symbol.replace(".", " ").partition(" ")
    rest = rest.strip()
    if kind in _KINDS and rest in UNITS:
        return f"{_KINDS[kind]} {UNITS[rest]}".lstrip()
    length = symbol[:-1].rstrip("^")
    if length in _LENGTHS and symbol[-1] in _AREAS:
        return f"{_AREAS[symbol[-1]]} {UNITS[length]}"
    return None


@lru_cache(maxsize=1024)
def per_name(symbol: str) -> str | None:
    """Return what is said for a unit behind a slash: "hour", "second squared"; None if it is none."""
    if symbol in PER:
        return PER[symbol]
    if symbol in ("s²", "s2", "s^2"):
        return "second squared"
    return unit_name(symbol)


@lru_cache(maxsize=1024)
def plural_of(unit: str) -> str:
    """Return the plural of a unit's name: "miles per hour", "degrees Celsius", "square feet"."""
    head, per, rest = unit.partition(" per ")
    if per and head:
        return f"{plural_of(head)} per {rest}"
    before, _, last = head.rpartition(" ")
    if head.startswith("degree "):
        return "degrees" + head.removeprefix("degree")
    if last in _UNCHANGING:
        return "millimeters of mercury" if last == "mercury" else unit
    return f"{before} {_PLURALS.get(last, last + 's')}".lstrip()
