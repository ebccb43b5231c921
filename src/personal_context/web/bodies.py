"""Bodies of requests: JSON objects of a declared shape, and forms of the page."""

import json
from collections.abc import Mapping
from typing import TypeVar
from urllib.parse import parse_qsl

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from personal_context.domain.errors import InvalidInput

M = TypeVar("M", bound=BaseModel)
MOST_FIELDS = 20


async def form_of(request: Request) -> Mapping[str, str]:
    """Read the body as the fields of a form; of two with one name, the last counts.

    Raises:
        InvalidInput: It is no form.
    """
    try:
        text = (await request.body()).decode("utf-8")
        fields = parse_qsl(
            text, keep_blank_values=True, strict_parsing=bool(text), max_num_fields=MOST_FIELDS
        )
    except ValueError as error:
        raise InvalidInput(
            "The form can't be read.", cause=str(error)[:200], hint="Send it from the page."
        ) from None
    return dict(fields)


async def body_of(request: Request, shape: type[M]) -> M:
    """Read the body as an object of this shape.

    Raises:
        InvalidInput: It is no JSON object, or a field is missing, unknown or of a wrong type.
    """
    try:
        found = json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            "The body is not JSON.", cause=str(error)[:200], hint="Send a JSON object in UTF-8."
        ) from None
    try:
        # Strict: 1 is no text, and "no" is no truth value.
        return shape.model_validate(found, strict=True)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, item['loc'])) or 'body'}: {item['msg'].lower()}"
            for item in error.errors(include_url=False, include_input=False)
        )
        known = ", ".join(shape.model_fields)
        raise InvalidInput(
            "The fields of the body can't be used.",
            cause=problems,
            hint=f"Known are {known}; docs/tools.md says what each means.",
        ) from None
