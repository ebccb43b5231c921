"""Prometheus' text format, version 0.0.4. Pure."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Sample:
    """One value.

    Attributes:
        suffix: Comes behind the family's name, e.g. `_bucket`.
    """

    value: float
    labels: Mapping[str, str] = field(default_factory=dict)
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Family:
    """Values of one meaning; a family without samples is left out."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    meaning: str
    samples: Sequence[Sample]


def gauge(name: str, meaning: str, value: float | None) -> Family:
    """A family of one value, or of none if it isn't known."""
    return Family(name, "gauge", meaning, [] if value is None else [Sample(value)])


def exposition(families: Iterable[Family]) -> str:
    """Return the text that a scraper reads.

    >>> print(exposition([gauge("doors", "Doors.", 4)]), end="")
    # HELP doors Doors.
    # TYPE doors gauge
    doors 4
    """
    return "".join(_family(family) for family in families if family.samples)


def _family(family: Family) -> str:
    lines = [
        f"# HELP {family.name} {_escaped(family.meaning)}",
        f"# TYPE {family.name} {family.kind}",
    ]
    lines += [_sample(family.name, sample) for sample in family.samples]
    return "\n".join(lines) + "\n"


def _sample(name: str, sample: Sample) -> str:
    labels = ",".join(
        f'{key}="{_escaped(text, quotes=True)}"' for key, text in sample.labels.items()
    )
    return f"{name}{sample.suffix}{f'{{{labels}}}' if labels else ''} {_number(sample.value)}"


def _escaped(text: str, *, quotes: bool = False) -> str:
    text = text.encode("utf-8", "replace").decode()
    text = text.replace("\\", "\\\\").replace("\n", "\\n")
    return text.replace('"', '\\"') if quotes else text


def _number(value: float) -> str:
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return repr(value)
