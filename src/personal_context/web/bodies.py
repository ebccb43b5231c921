"""Bodies of requests: JSON objects of a declared shape, with an error that says what would do."""

import json
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from personal_context.domain.errors import InvalidInput

M = TypeVar("M", bound=BaseModel)


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
