"""Base class of every table of settings."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """Settings are frozen, and a name that does not exist is an error instead of a wish.

    A section is checked as a part of `Settings`; building a check for it alone would only delay the start.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, str_strip_whitespace=True, defer_build=True
    )
