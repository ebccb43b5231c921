from personal_context.domain.collections import choose, is_id
from personal_context.domain.models import UpstreamCollection

HANDBOOK = UpstreamCollection("0b2c4d6e-8f10-4a2b-9c3d-4e5f60718293", "aB3dE5gH7j", "Handbook")
RUNBOOKS = UpstreamCollection("1b2c4d6e-8f10-4a2b-9c3d-4e5f60718293", "kL9nM1pQ3s", "Run books")
BOTH = [HANDBOOK, RUNBOOKS]


def test_a_collection_is_found_by_id_url_id_address_and_name():
    for name in (
        HANDBOOK.id,
        HANDBOOK.id.upper(),
        "aB3dE5gH7j",
        "https://wiki.example.com/collection/handbook-aB3dE5gH7j",
        "https://wiki.example.com/collection/old-name-aB3dE5gH7j/recent?x#y",
        "handbook",
    ):
        chosen = choose([name], BOTH)
        assert chosen.found == (HANDBOOK,), name
        assert chosen.unknown == ()


def test_a_star_means_all_and_nothing_comes_twice():
    chosen = choose(["*", "Handbook", "*"], BOTH)

    assert chosen.found == (HANDBOOK, RUNBOOKS)


def test_names_that_mean_nothing_are_told_and_the_others_go_on():
    chosen = choose(["Sales", "Run books"], BOTH)

    assert chosen.found == (RUNBOOKS,)
    assert chosen.unknown == ("Sales",)


def test_only_a_whole_uuid_is_an_id():
    assert is_id(HANDBOOK.id)
    assert not is_id("Handbook")
    assert not is_id(f"x{HANDBOOK.id}")
