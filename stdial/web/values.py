"""The values of a page's parameters, read-only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stdial.web import link

__all__ = ["Values"]


class Values(Mapping[str, Any]):
    """The values of a page's parameters, by key or as attributes; read-only."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def but(self, **changed: Any) -> Values:
        """These values with some set anew; what depends on them follows."""
        values = {**self._values, **changed}
        link.settle(values, given=changed)
        return Values(values)
