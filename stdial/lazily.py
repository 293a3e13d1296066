"""A value of an object that is computed when it is first asked for, and kept with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

__all__ = ["lazily"]

T = TypeVar("T")


class lazily(Generic[T]):
    """`functools.cached_property` without its lock.

    Before Python 3.12 that lock is one for all objects of a class: while one visitor's pool was fitted, everybody else's
    waited. Here two threads that ask at the same moment may both compute, and agree.

    Examples
    --------
    >>> class Circle:
    ...     @lazily
    ...     def area(self) -> float:
    ...         print("computed")
    ...         return 3.14
    >>> circle = Circle()
    >>> circle.area, circle.area
    computed
    (3.14, 3.14)
    """

    def __init__(self, function: Callable[[Any], T]) -> None:
        self.function = function
        self.name = function.__name__
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> lazily[T]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> T | lazily[T]:
        if instance is None:
            return self
        value = self.function(instance)
        instance.__dict__[self.name] = value
        return value
