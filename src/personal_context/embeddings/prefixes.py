"""What some models want to read before a query or a passage, as their model cards say."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Words that are put before a text; empty for models that want none."""

    query: str = ""
    passage: str = ""


_NONE = Prefixes()
_WEB_SEARCH = "Represent this sentence for searching relevant passages: "
_INSTRUCT = "Given a web search query, retrieve relevant passages that answer the query"

# First match wins; the name is in lower case, without the maker before it and the tag after it.
_BY_MODEL: tuple[tuple[str, Prefixes], ...] = (
    (r"nomic-embed-text", Prefixes("search_query: ", "search_document: ")),
    (r"(multilingual-)?e5-.*instruct", Prefixes(f"Instruct: {_INSTRUCT}\nQuery: ")),
    (r"(multilingual-)?e5-", Prefixes("query: ", "passage: ")),
    (r"bge-m3", _NONE),
    (r"bge-.*zh", Prefixes("为这个句子生成表示以用于检索相关文章：")),  # noqa: RUF001 - as in the card
    (r"bge-(small|base|large)", Prefixes(_WEB_SEARCH)),
    (r"mxbai-embed-large", Prefixes(_WEB_SEARCH)),
    (r"snowflake-arctic-embed.*(2|v2)", Prefixes("query: ")),
    (r"snowflake-arctic-embed", Prefixes(_WEB_SEARCH)),
    (r"embeddinggemma", Prefixes("task: search result | query: ", "title: none | text: ")),
    (r"qwen3-embedding", Prefixes(f"Instruct: {_INSTRUCT}\nQuery:")),
)


def prefixes_for(model: str) -> Prefixes:
    """Return the prefixes of a model, by its name at OpenAI-compatible servers or Ollama.

    >>> prefixes_for("nomic-embed-text:latest").query
    'search_query: '
    >>> prefixes_for("text-embedding-3-small")
    Prefixes(query='', passage='')
    """
    name = re.split(r"[:@]", model.lower().rsplit("/", 1)[-1])[0]
    matching = (prefixes for pattern, prefixes in _BY_MODEL if re.search(pattern, name))
    return next(matching, _NONE)
