"""Single words that a query's steps know, folded as `contract.words.split_words` folds them."""


def _read(text: str) -> frozenset[str]:
    return frozenset(text.split())


# How a question is asked, and praise. They are in the text of every listing or of none: a listing without them is no
# worse. Not here, as names hold them: "show", "play", "day", "night", "new", "top", "no", "up", "out", "after".
FILLERS = _read(
    """
    a about an and any anybody anyone anything anywhere are area around as at awesome be been best but by can cant
    close closest could did do does doing enjoy every find for from fun get give go going good great had has have having
    hello help here hey hi how hows i id if ideas im in interesting into is it its ive just let lets like list
    local looking look lot lots love many maybe me more most much my near nearby nearest need nice of on or our
    please popular recommend recommendation recommendations recommended really search searching should so some
    somebody someone something somewhere spend stuff suggest suggestion suggestions take tell than thanks that thats the
    their them then there theres these they thing things this those to too try us very visit want was we were what whats
    when whens where wheres which while who whos why will with within would you your
    """
)

# What sort of listing is meant, in general. Every class is a class: such a word says nothing of one against another.
KINDS = _read(
    """
    activities activity camp camps class classes course courses event events happening happenings lesson lessons
    listing listings location locations outing outings place places program programme programmes programs session
    sessions spot spots venue venues workshop workshops
    """
)

# Who comes. A listing for families need not call itself one; `audience` and `age` filter by what it says.
AUDIENCE = _read(
    """
    adult adults caregiver caregivers child children childrens childs dad daddies daddy dads daughter daughters
    everybody everyone families family familys father fathers grandchild grandchildren grandkid grandkids grandma
    grandpa grandparent grandparents grownup grownups guardian guardians kid kiddie kiddies kiddo kiddos kids mama mom
    mommies mommy moms mother mothers mum mums nephew niece parent parents son sons youngster youngsters youth
    youths
    """
)

# What it costs; `free` and `max_price` filter.
PRICES = _read(
    """
    affordable budget cheap cheaper cheapest cheaply complimentary cost costs discount discounted discounts dollar
    dollars expensive free gratis inexpensive price priced prices pricing
    """
)

# When it is; `from`, `to`, `weekday` and `start_after` filter. Not here: seasons and feasts, which are what it is
# about; "sat" and "sun", which are a test and a star; "march" and "may"; "night", as in movie night.
TIMES = _read(
    """
    afternoon afternoons april august currently daily december evening evenings feb february fri friday fridays jan
    january july june mon monday mondays monthly morning mornings nighttime nov november now oct october saturday
    saturdays sept september soon sunday sundays thu thur thurs thursday thursdays today todays tomorrow tomorrows
    tonight tonights tonite tue tues tuesday tuesdays upcoming wed wednesday wednesdays weekday weekdays weekend
    weekends weekly weeknight weeknights yesterday
    """
)
