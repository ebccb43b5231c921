"""What comes in, made into declared shapes, with errors that say what would do."""

from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from starlette.datastructures import QueryParams
from starlette.requests import Request

from personal_context.domain.errors import InvalidInput
from personal_context.web.bodies import body_of

M = TypeVar("M", bound=BaseModel)
_LONGEST = 40
"""Characters of a value that an error repeats."""


async def read_body(request: Request, shape: type[M]) -> M:
    """Read the body as an object of this shape; see body_of."""
    return await body_of(request, shape)


def read_params(given: QueryParams, shape: type[M]) -> M:
    """Read the query string as this shape; what is blank or unknown counts as not given.

    Raises:
        InvalidInput: A parameter is missing, or can't be used.
    """
    values: dict[str, Any] = {}
    for name, info in shape.model_fields.items():
        several = [one for one in given.getlist(name) if one.strip()]
        if several:
            values[name] = several if _is_list(info.annotation) else several[-1].strip()
    try:
        return shape.model_validate(values)
    except ValidationError as error:
        raise _unusable(error, shape) from None


def _is_list(annotation: Any) -> bool:  # noqa: ANN401 - any type
    return get_origin(annotation) in {list, tuple, frozenset} or any(
        get_origin(one) in {list, tuple, frozenset} for one in get_args(annotation)
    )


def _unusable(error: ValidationError, shape: type[BaseModel]) -> InvalidInput:
    first = error.errors(include_url=False, include_context=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "query"
    field = shape.model_fields.get(name)
    hint = f"{name}: {field.description}" if field and field.description else ""
    if first["type"] == "missing":
        return InvalidInput(f"The parameter {name} is missing, or empty.", hint=hint)
    shown = first["input"] if isinstance(first["input"], str) else name
    shown = shown[:_LONGEST] + "…" if len(shown) > _LONGEST else shown
    return InvalidInput(
        f"The parameter {name} can't be used.", cause=f"“{shown}”: {first['msg']}.", hint=hint
    )
