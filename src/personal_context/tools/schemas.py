"""Schemas as they are listed: short, because every model that lists the tools pays for each word.

What is left out is told in docs/tools.md, and by `get_tool_spec` of the profile `lean`. Pure.
"""

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

_LEFT_OUT = ("anyOf", "additionalProperties", "format", "$ref")
_KEPT = ("type", "enum", "items", "properties", "minimum", "maximum")


def lean_input(schema: Mapping[str, Any]) -> Schema:
    """Return a schema of arguments that doesn't say of what is optional that it may be null.

    Null is taken all the same, and unknown names are refused all the same. Nothing in it refers to
    another place, which some clients can't follow.
    """
    kept = {key: value for key, value in schema.items() if key not in {*_LEFT_OUT, "$defs"}}
    names = schema.get("$defs", {})
    properties = {n: _argument(one, names) for n, one in schema.get("properties", {}).items()}
    return {**kept, "properties": properties}


def lean_output(schema: Mapping[str, Any]) -> Schema:
    """Return a schema of answers with the types of its members, and the names of theirs."""
    short = _short(schema, schema.get("$defs", {}), top=True)
    return {"type": "object", "properties": short.get("properties", {})}


def _argument(schema: Mapping[str, Any], names: Mapping[str, Any]) -> Schema:
    kept = {key: value for key, value in schema.items() if key not in _LEFT_OUT}
    if kept.get("default", 0) is None:
        del kept["default"]
    real = [one for one in schema.get("anyOf", ()) if one.get("type") != "null"]
    if len(real) > 1:
        return {**kept, "anyOf": real}
    for one in (*real, schema):
        if "$ref" in one:
            kept |= _short(one, names)
    if real:
        kept |= {key: value for key, value in real[0].items() if key not in _LEFT_OUT}
    if "items" in kept:
        kept["items"] = _short(kept["items"], names)
    return kept


def _short(schema: Mapping[str, Any], names: Mapping[str, Any], *, top: bool = False) -> Schema:
    if "$ref" in schema:
        return _short(names[schema["$ref"].rpartition("/")[2]], names)
    if "anyOf" in schema:
        return _one_of([_short(one, names) for one in schema["anyOf"]])
    kept = {key: value for key, value in schema.items() if key in _KEPT}
    members = kept.pop("properties", {})
    if "items" in kept:
        kept["items"] = _short(kept["items"], names)
        if kept["items"].get("type") == "string":
            del kept["items"]  # names, mostly
    if top:
        kept["properties"] = {name: _short(one, names) for name, one in members.items()}
    elif members:
        kept["required"] = list(members)
    return kept


def _one_of(alternatives: list[Schema]) -> Schema:
    real = [one for one in alternatives if one.get("type") != "null"]
    if len(real) == 1 and "type" in real[0] and "enum" not in real[0]:
        return {"type": [real[0]["type"], "null"]}
    return {"anyOf": alternatives}
