"""The states of the United States, as an address names them."""

from collections.abc import Iterable

from outings.answers.gazetteer.streets import Streets, Words

_STATES = """
AL Alabama/AK Alaska/AZ Arizona/AR Arkansas/CA California/CO Colorado/CT Connecticut/DE Delaware
DC District of Columbia/FL Florida/GA Georgia/HI Hawaii/ID Idaho/IL Illinois/IN Indiana/IA Iowa/KS Kansas
KY Kentucky/LA Louisiana/ME Maine/MD Maryland/MA Massachusetts/MI Michigan/MN Minnesota/MS Mississippi/MO Missouri
MT Montana/NE Nebraska/NV Nevada/NH New Hampshire/NJ New Jersey/NM New Mexico/NY New York/NC North Carolina
ND North Dakota/OH Ohio/OK Oklahoma/OR Oregon/PA Pennsylvania/PR Puerto Rico/RI Rhode Island/SC South Carolina
SD South Dakota/TN Tennessee/TX Texas/UT Utah/VT Vermont/VA Virginia/WA Washington/WV West Virginia/WI Wisconsin
WY Wyoming
""".strip().replace("\n", "/")
_NAMED = tuple((pair[:2], pair[3:]) for pair in _STATES.split("/"))


def list_state_words(known: Iterable[str], streets: Streets) -> set[Words]:
    """Code and name of each state that is known by either; of all, where none is."""
    named = {streets.fold_words(each) for each in known}
    pairs = [tuple(map(streets.fold_words, pair)) for pair in _NAMED]
    return {words for pair in pairs if not named or named & {*pair} for words in pair}
