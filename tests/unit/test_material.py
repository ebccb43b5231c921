"""In which order sections go into a context."""

from dataclasses import replace

from builders import content_id
from fake_services import result

from personal_context.domain.models import StoredSection
from personal_context.search.material import ordered


def section(document, ordinal, text=None):
    text = f"text {document} {ordinal}" if text is None else text
    return StoredSection(
        document * 100 + ordinal, content_id(document), ordinal, (), text, ordinal, ordinal
    )


def found(document, score, ordinal=0, *more):
    one = result(score=score)
    return replace(
        one,
        content=replace(one.content, id=content_id(document)),
        section=section(document, ordinal),
        more=tuple(section(document, place) for place in more),
    )


def places(sections):
    return [divmod(one.id, 100) for one in sections]


def pages(*documents, length=5):
    return {content_id(one): [section(one, place) for place in range(length)] for one in documents}


def test_neighbours_of_what_stands_out_go_before_what_is_far_behind():
    order = ordered([found(1, 1.0, 2), found(2, 0.6, 0)], pages(1, 2))

    assert places(order)[:4] == [(1, 2), (1, 1), (1, 3), (2, 0)]
    assert len(order) == 10


def test_what_is_equally_good_comes_before_any_neighbour():
    order = ordered([found(1, 1.0, 2), found(2, 0.95, 0)], pages(1, 2))

    assert places(order)[:2] == [(1, 2), (2, 0)]


def test_the_second_section_of_a_result_counts_nearly_as_much():
    order = ordered([found(1, 1.0, 0, 4), found(2, 0.8, 0)], pages(1, 2))

    assert places(order)[:3] == [(1, 0), (1, 4), (2, 0)]


def test_without_scores_each_document_has_its_first_word():
    order = ordered([found(1, 0.0), found(2, 0.0)], pages(1, 2))

    assert places(order)[:4] == [(1, 0), (2, 0), (1, 1), (2, 1)]


def test_of_a_document_that_is_not_read_whole_only_what_was_found_is_used():
    order = ordered([found(1, 1.0, 2, 4)], {})

    assert places(order) == [(1, 2), (1, 4)]


def test_the_same_text_comes_once_and_no_text_never():
    sections = {
        content_id(1): [section(1, 0, "the same\n\ntext"), section(1, 1, "  ")],
        content_id(2): [section(2, 0, "the same text"), section(2, 1, "another")],
    }

    assert places(ordered([found(1, 1.0), found(2, 0.9)], sections)) == [(1, 0), (2, 1)]


def test_a_result_without_a_text_is_no_obstacle():
    bare = replace(found(1, 1.0), section=None)

    assert ordered([bare], {content_id(1): [section(1, 0, "")]}) == []
