"""JSON objects to dataclasses and back, strictly: the type of a field is the rule for its value.

Knows no message and no meaning of a field. Pure; any thread may call it.

A field may be `bool`, `int`, `float`, `str`, an enum of strings, another dataclass, `tuple[X, ...]` of
those, `Mapping[str, str]`, any of them with `| None`, and `Annotated[..., Bounds(low, high)]`: the range of a
number, or the length of a name in code points. A field without a default must be there; names that no field
has are ignored.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

SAFE_INTEGER = 2**53 - 1
"""The largest integer every JSON implementation keeps exactly (RFC 7493, section 2.2)."""

T = TypeVar("T")
Check = Callable[[object], Any]


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a number or the length of a name may be, both ends included."""

    low: float
    high: float


class FieldError(ValueError):
    """A value that its field cannot hold. `path` names the field from the outside in: `words.3.start`."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path} {problem}".strip())
        self.path = path
        self.problem = problem

    def within(self, name: str) -> FieldError:
        """Return the same error as seen from the object that holds this one under `name`."""
        return FieldError(f"{name}.{self.path}" if self.path else name, self.problem)


def decode(record: type[T], values: Mapping[str, object]) -> T:
    """Build a `record` from JSON values, checking every field.

    Raises:
        FieldError: A field is missing or holds what it may not.
    """
    found: dict[str, object] = {}
    for name, check, required in _table(record):  # type: ignore[arg-type]  # a class is hashable
        if name in values:
            try:
                found[name] = check(values[name])
            except FieldError as error:
                raise error.within(name) from None
        elif required:
            raise FieldError(name, "is missing")
    return record(**found)


def encode(record: object) -> dict[str, object]:
    """Return the JSON values of a dataclass; a field that is None and may be left out is left out."""
    values: dict[str, object] = {}
    for field in dataclasses.fields(record):  # type: ignore[arg-type]  # every caller passes a dataclass
        value = getattr(record, field.name)
        if value is not None or field.default is not None:
            values[field.name] = _plain(value)
    return values


def is_well_formed(text: str) -> bool:
    """Tell whether `text` holds no lone surrogate, which is half a character."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if dataclasses.is_dataclass(value):
        return encode(value)
    return value


@functools.cache
def _table(record: type) -> tuple[tuple[str, Check, bool], ...]:
    """Return name, check and whether it is required, of every field of a dataclass."""
    hints = typing.get_type_hints(record, include_extras=True)
    return tuple(
        (field.name, _check_for(hints[field.name]), field.default is dataclasses.MISSING)
        for field in dataclasses.fields(record)
    )


def _check_for(hint: Any) -> Check:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return functools.partial(_bounded, _check_for(arguments[0]), arguments[1])
    if origin in (types.UnionType, typing.Union):
        return functools.partial(_optional, _check_for(arguments[0]))
    if origin is tuple:
        return functools.partial(_items, _check_for(arguments[0]))
    if origin is Mapping:
        return _texts_by_name
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return functools.partial(_nested, hint)
    return functools.partial(_choice, hint) if issubclass(hint, enum.Enum) else _simple(hint)


def _simple(hint: type) -> Check:
    simple: dict[type, Check] = {bool: _truth, int: _whole, float: _number, str: _string}
    return simple[hint]


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise FieldError("", "must be true or false")
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise FieldError("", "must be a whole number")
    return value


def _number(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise FieldError("", "must be a number")
    if not -SAFE_INTEGER <= value <= SAFE_INTEGER:
        raise FieldError("", "is too large a number")
    return float(value)


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise FieldError("", "must be a string")
    return value


def _bounded(check: Check, bounds: Bounds, value: object) -> object:
    checked = check(value)
    if isinstance(checked, str):
        if not bounds.low <= len(checked) <= bounds.high:
            raise FieldError("", f"must have {bounds.low:g} to {bounds.high:g} characters")
        if not is_well_formed(checked):
            raise FieldError("", "holds half a character (a lone surrogate)")
    elif not bounds.low <= checked <= bounds.high:
        raise FieldError("", f"must be {bounds.low:.16g} to {bounds.high:.16g}")
    return checked


def _optional(check: Check, value: object) -> object:
    return None if value is None else check(value)


def _items(check: Check, value: object) -> tuple[object, ...]:
    if not isinstance(value, list):
        raise FieldError("", "must be a list")
    items = []
    for index, item in enumerate(value):
        try:
            items.append(check(item))
        except FieldError as error:
            raise error.within(str(index)) from None
    return tuple(items)


def _texts_by_name(value: object) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise FieldError("", "must be an object")
    for name, text in value.items():
        if not isinstance(text, str):
            raise FieldError(name if is_well_formed(name) else "", "must be a string")
        if not is_well_formed(name + text):
            raise FieldError("", "holds half a character (a lone surrogate)")
    return value


def _nested(record: type, value: object) -> object:
    if not isinstance(value, dict):
        raise FieldError("", "must be an object")
    return decode(record, value)


def _choice(options: type[enum.Enum], value: object) -> enum.Enum:
    known = [option.value for option in options]
    if not isinstance(value, str) or value not in known:
        raise FieldError("", f"must be one of {', '.join(known)}")
    return options(value)
