"""What is remembered up to a bound: the first that was put goes first."""

from edge.fifo_cache import FifoCache


def list_kept(cache: FifoCache[str, str], keys: str) -> str:
    return "".join(key for key in keys if cache.find(key) is not None and key in cache)


def test_the_first_goes_first() -> None:
    cache: FifoCache[str, str] = FifoCache(3)
    for key in "abc":
        cache.put(key, key)
    assert cache.find("a") == "a"
    cache.put("d", "d")
    assert list_kept(cache, "abcd") == "bcd"


def test_what_is_put_again_is_the_last() -> None:
    cache: FifoCache[str, str] = FifoCache(2)
    for key, value in (("a", "old"), ("b", "b"), ("a", "new"), ("c", "c")):
        cache.put(key, value)
    assert list_kept(cache, "abc") == "ac"
    assert cache.find("a") == "new"


def test_values_are_bounded_by_what_they_weigh_together() -> None:
    cache: FifoCache[str, str] = FifoCache(10, len)
    for key, value in (("a", "four"), ("b", "four"), ("b", "eight888"), ("c", "2.")):
        cache.put(key, value)
    assert list_kept(cache, "abc") == "bc"
    cache.put("d", "three")
    assert list_kept(cache, "bcd") == "cd"
    cache.put("e", "more than ten")
    assert list_kept(cache, "bcde") == ""
