"""Typed text to what is looked for. Whatever is typed can be searched; nothing is an error."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from personal_context.domain.models import (
    EVERYTHING,
    KeywordQuery,
    Phrase,
    SearchFilters,
    SourceType,
    TypedWord,
)
from personal_context.search.syntax import Typed, take_apart
from personal_context.words.analysis import Term, names, words
from personal_context.words.scripts import folded
from personal_context.words.stems import language_of
from personal_context.words.stopping import stop_terms

MAX_CHARACTERS = 10_000
"""Of what is typed; the rest is not looked at."""

MAX_TERMS = 128
"""Words and names of one query; each costs a look-up in the index."""

PROSE_WORDS = 20
"""Words from which a text is prose, pasted or told by a model: quotes and dashes in it mean what
they mean in prose. In the judged collections, long questions quote words that no answer has."""

MAX_PHRASES = 16
"""Phrases that must or must not occur; of more, the first ones count."""

PAIR_WEIGHT = 0.2
"""Of two words that follow each other as they do in the query, beside 1 for each word alone.

The sequential dependence model's share of ordered pairs. Gained 0.01 nDCG@10 by words on each of
Cranfield, CACM, LoCoMo and long pages, nothing on CISI.
"""

_SOURCES = {str(source): source for source in SourceType}


@dataclass(frozen=True, slots=True)
class Query:
    """What a typed query looks for.

    Attributes:
        text: What is compared by meaning; empty if only filters were typed.
        keyword: What is looked for by words.
        filters: What was typed of them; the collection as it was named.
    """

    text: str
    keyword: KeywordQuery
    filters: SearchFilters

    @property
    def terms(self) -> frozenset[str]:
        """The terms that an answer may show where it found them."""
        return frozenset(term for phrase in self.keyword.weights for term in phrase.terms)


def read_query(typed: str) -> Query:
    """Read a typed query: see `syntax.take_apart` for the forms that mean something.

    A text of more than 20 words is prose, in which nothing means more than it says.
    """
    if len(typed[:MAX_CHARACTERS].split()) > PROSE_WORDS:
        return plain_query(typed)
    pieces = take_apart(typed[:MAX_CHARACTERS], sources=_SOURCES)
    filters = _filters(pieces)
    if not pieces.text and filters == EVERYTHING:
        return plain_query(typed)  # quotes around nothing
    return Query(pieces.text, keyword_query(pieces.text), filters)


def plain_query(text: str) -> Query:
    """Take all of a text for what is looked for."""
    return Query(text[:MAX_CHARACTERS], keyword_query(text), SearchFilters())


def keyword_query(text: str) -> KeywordQuery:
    """Weigh the words of a text: any of them may occur, in any place.

    A word counts as often as it is typed. Stop words are left out unless there is nothing else,
    and so is what is the same without its ending (`being`, `one`): they stand in most texts.
    Names such as `foo.bar` count beside their words, and words that follow each other count a
    little more where they do so in a text. Pairs of letters, into which writing without blanks is
    cut, count half: each letter is in two of them.

    >>> {p.terms: w for p, w in keyword_query("How do I restore foo.bar()?").weights.items()}
    {('restor',): 1.0, ('foo',): 1.0, ('bar',): 1.0, ('foo.bar',): 1.0, ('restor', 'foo'): 0.2, \
('foo', 'bar'): 0.2}
    """
    text = text[:MAX_CHARACTERS]
    terms, kept = _taken(text)
    weights: dict[Phrase, float] = {}
    for term in kept:
        phrase = Phrase((term.text,), open_ended=term.short)
        if phrase in weights or len(weights) < MAX_TERMS:
            weights[phrase] = weights.get(phrase, 0.0) + _weight(term)
    for name in islice(names(text), MAX_TERMS - len(weights)):
        weights.setdefault(Phrase((name.text,)), 1.0)
    for pair, weight in islice(_pairs(terms, frozenset(kept)), MAX_TERMS):
        weights.setdefault(pair, weight)
    return KeywordQuery(weights)


def typed_words(query: Query) -> Sequence[TypedWord]:
    """Return what became of the words of a query, in the order in which they were typed.

    >>> [(w.typed, w.term, w.analysis) for w in typed_words(plain_query("How do I restore f.c?"))]
    [('How', None, 'stop word'), ('do', None, 'stop word'), ('I', None, 'stop word'), \
('restore', 'restor', 'porter'), ('f', 'f', 'porter'), ('f.c', 'f.c', 'name'), \
('c', 'c', 'porter')]
    """
    text, weights = query.text, query.keyword.weights
    terms, kept = _taken(text)
    counted = frozenset(kept)
    found = [
        (term.start, _typed_word(text, term, weights) if term in counted else _dropped(text, term))
        for term in terms
    ]
    for name in names(text):
        weight = weights.get(Phrase((name.text,)))
        if weight is not None:
            typed = text[name.start : name.end]
            found.append((name.start, TypedWord(typed, name.text, "name", weight)))
    return [word for _, word in sorted(found, key=lambda one: one[0])]


def _typed_word(text: str, term: Term, weights: Mapping[Phrase, float]) -> TypedWord:
    typed = text[term.start : term.end]
    weight = weights.get(Phrase((term.text,), open_ended=term.short))
    if weight is None:
        return TypedWord(typed, None, "one too many", 0.0)
    cut = f"part of {len(term.text)} letters" if term.part else None
    return TypedWord(typed, term.text, cut or language_of(folded(typed)) or "as it is", weight)


def _dropped(text: str, term: Term) -> TypedWord:
    return TypedWord(text[term.start : term.end], None, "stop word", 0.0)


def _taken(text: str) -> tuple[Sequence[Term], Sequence[Term]]:
    """Return the words of a text, and those of them that count."""
    terms = list(complete(words(text)))
    return terms, [term for term in terms if term.text not in stop_terms()] or terms


def phrase_of(text: str) -> Phrase | None:
    """Return what must occur for a phrase to occur; None if there is no word in it.

    >>> phrase_of("Restored backups"), phrase_of("C++")
    (Phrase(terms=('restor', 'backup'), open_ended=False), \
Phrase(terms=('c++',), open_ended=False))
    """
    whole = [name for name in names(text) if name.end - name.start == len(text.strip())]
    terms = whole or list(complete(words(text[:MAX_CHARACTERS]), inside=True))
    if not terms:
        return None
    return Phrase(tuple(term.text for term in terms), open_ended=terms[-1].short)


def complete(terms: Iterable[Term], *, inside: bool = False) -> Iterator[Term]:
    """Leave out the last, short parts of a run: whoever looks for the full ones needs them not.

    A run that is shorter than a part stays.

    Args:
        terms: Of a text, in order.
        inside: Keep them where something follows, as the index does: for phrases.
    """
    before: Term | None = None
    held: list[Term] = []
    for term in terms:
        if term.short and before is not None and before.part and term.end <= before.end:
            held.append(term)
        else:
            if inside:
                yield from held
            held = []
            yield term
        before = term


def _weight(term: Term) -> float:
    return 1 / len(term.text) if term.part and not term.short else 1.0


def _pairs(terms: Sequence[Term], kept: frozenset[Term]) -> Iterator[tuple[Phrase, float]]:
    for one, other in pairwise(terms):
        if one in kept and other in kept and not one.short:
            weight = PAIR_WEIGHT * min(_weight(one), _weight(other))
            yield Phrase((one.text, other.text), open_ended=other.short), weight


def _filters(pieces: Typed) -> SearchFilters:
    phrases = {
        "titled": _phrases(pieces.titled),
        "lacking": _phrases(pieces.excluded),
        "holding": _phrases(pieces.quoted),
    }
    return SearchFilters(
        source_types=frozenset(_SOURCES[name] for name in pieces.sources),
        collection=pieces.collections[0] if pieces.collections else None,
        tags=frozenset(pieces.tags),
        updated_after=pieces.after,
        updated_before=pieces.before,
        **phrases,
    )


def _phrases(texts: Sequence[str]) -> frozenset[Phrase]:
    found = (phrase_of(text) for text in texts[:MAX_PHRASES])
    return frozenset(phrase for phrase in found if phrase)
