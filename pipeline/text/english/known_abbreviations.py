"""The English abbreviations that `abbreviations` reads, by where they may stand: data, without their dots."""

from __future__ import annotations

from pipeline.text.english.tables import pairs, words

TITLES = pairs(
    """Mr mister; Mrs missus; Ms miz; Mx mix; Prof professor; Rev reverend; Hon honorable; Gen general; Col
    colonel; Maj major; Capt captain; Cmdr commander; Cdr commander; Lt lieutenant; Sgt sergeant; Cpl
    corporal; Pvt private; Adm admiral; Gov governor; Sen senator; Rep representative; Pres president;
    Fr father; Supt superintendent; Messrs messers; Mme madame; Mlle mademoiselle; Msgr monsignor; Amb
    ambassador; Br brother; Det detective; Insp inspector; Atty attorney; Drs doctors; Mt mount; Ft
    fort; Sts saints"""
)
"""Before a name, with a dot."""

PLAIN_TITLES = words("Mr Mrs Ms Mx Prof Capt Lt Sgt Cpl Messrs Mt Ft")
"""Without one as well."""

STREETS = pairs(
    """Ave avenue; Blvd boulevard; Rd road; Ln lane; Pkwy parkway; Hwy highway; Fwy freeway; Ct court; Pl
    place; Sq square"""
)
"""After a name or an ordinal number."""

ONLY_STREETS = words("Ave Blvd Rd Pkwy Hwy Fwy Ln")
"""Also where no house number stands before."""

DIRECTIONS = pairs("N north; S south; E east; W west; NE northeast; NW northwest; SE southeast; SW southwest")
"""Before or after a street's name."""

STREET_TYPES = words("St Ave Blvd Rd Ln Dr Pkwy Ct Pl Street Avenue Road Boulevard Drive Lane Court Place")

LIVES = pairs("b born; d died; r reigned; fl flourished")
"""Before a year: "(b. 1970)"."""

AFTER_NAMES = pairs(
    """Jr junior; Sr senior; Esq esquire; Inc incorporated; Ltd limited; Corp corporation; Bros brothers;
    Co company"""
)

BEFORE_NUMBERS = pairs(
    """fig figure; figs figures; vol volume; vols volumes; ch chapter; chs chapters; chap chapter; sec
    section; sect section; eq equation; eqs equations; p page; pp pages; pg page; par paragraph; para
    paragraph; art article; bk book; ver version; ext extension; tel telephone; apt apartment; ste
    suite; pt part; bldg building; hwy highway; rte route; ca circa; c circa; min minimum; max maximum;
    ep episode; rm room; op opus; app appendix; ex example; rt route; sc scene"""
)
"""Before a number, with a dot."""

PLAIN_BEFORE_NUMBERS = words("fig figs vol vols chap pp pg apt hwy rte bldg ext")
"""Without one as well."""

ANYWHERE = pairs(
    """vs versus; etc et cetera; approx approximately; dept department; depts departments; govt government;
    intl international; natl national; appt appointment; qty quantity; asst assistant; mgr manager; attn
    attention; acct account; avg average; ea each; yr year; yrs years; hrs hours; wk week; wks weeks;
    mins minutes"""
)

ANYWHERE_DOTTED = pairs(
    """cf compare; viz namely; incl including; excl excluding; esp especially; misc miscellaneous; univ
    university; assn association; resp respectively; eg for example; ie that is; eds editors"""
)

DAYS = pairs(
    """Mon Monday; Tue Tuesday; Tues Tuesday; Wed Wednesday; Thu Thursday; Thur Thursday; Thurs Thursday;
    Fri Friday; Sat Saturday; Sun Sunday"""
)
ONLY_DAYS = words("Tue Tues Wed Thu Thur Thurs Fri")

MONTHS = pairs(
    """Jan January; Feb February; Mar March; Apr April; Jun June; Jul July; Aug August; Sep September; Sept
    September; Oct October; Nov November; Dec December"""
)

BEFORE_DATES = words(
    """on in since until till by from this last next every each late early mid during through before after
    and or to of & open closed"""
)
"""Words that make a dotted day or month sure."""

BEFORE_MONTHS = words("in since until till this last next late early mid")
"""Words that make one without a dot sure."""

SAINTS = words(
    """Alban Albans Andrew Andrews Anne Ann Anthony Augustine Austell Barts Basil Benedict Bernard
    Catharines Catherine Cecilia Charles Christopher Clair Clare Cloud Croix David Denis Edmund Edmunds
    Elizabeth Elmo Francis Gallen George Germain Gregory Helena Helens Helier Ignatius Ives James Jean
    Jerome Joan John Johns Johnsbury Joseph Jude Kilda Kitts Lawrence Leger Louis Lucia Lucie Lucy Luke
    Maarten Margaret Marie Mark Martin Mary Marys Matthew Michael Moritz Nicholas Nick Olaf Pancras
    Patrick Paul Peter Petersburg Philip Pierre Rita Sebastian Simon Stephen Teresa Theresa Thomas
    Tropez Valentine Vincent Vitus"""
)
"""Names that make "St." a saint although a name stands before: "Port St. Lucie"."""

LETTERS = pairs("eg for example; ie that is; aka also known as; wrt with respect to; vs versus; ok okay")
"""Letters with dots that are not spelled."""

SEMICOLONED = words("TL;DR tl;dr Tl;dr TL;dr")
"""Spelled although a semicolon parts them."""

DEGREES = words("Ph Sc Ed Th Psy Mus")
"""Parts of more than one letter that an academic degree may have."""

SLASHED = pairs("w/o without; w/in within; w/ with; w/e whatever; b/c because; c/o care of; y/o year old")

CONTRACTED = pairs(
    """gov't government; int'l international; nat'l national; dep't department; cont'd continued; ass'n
    association"""
)

STATES = pairs(
    """Ala Alabama; Ariz Arizona; Ark Arkansas; Calif California; Colo Colorado; Conn Connecticut; Del
    Delaware; Fla Florida; Ga Georgia; Ill Illinois; Ind Indiana; Kan Kansas; Ky Kentucky; La Louisiana;
    Mass Massachusetts; Md Maryland; Mich Michigan; Minn Minnesota; Miss Mississippi; Mo Missouri; Mont
    Montana; Neb Nebraska; Nev Nevada; Okla Oklahoma; Ore Oregon; Pa Pennsylvania; Tenn Tennessee; Tex
    Texas; Va Virginia; Vt Vermont; Wash Washington; Wis Wisconsin; Wyo Wyoming"""
)
"""After a town and a comma, with a dot."""
