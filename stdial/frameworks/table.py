"""The table of frameworks: read from frameworks.toml, checked, and looked up by name and options."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from stdial.frameworks.convention import Convention, Whitening, describe
from stdial.frameworks.filters import Filter

__all__ = ["GOALS", "Framework", "Metric", "Option", "Setting", "Trap", "flat", "load", "shown", "word"]

GOALS = ("grpo", "dr-grpo", "dynamic-sampling")
ABSENT = "absent"
_T = TypeVar("_T")


@dataclass(frozen=True)
class Option:
    """An option: its name as in the reference rows, its full spelling in the framework, what it may be, what it does.

    ``values`` are the allowed ones, with None written "null"; a number instead sets the field ``sets`` of the
    convention (an empty ``sets`` changes no advantage). ``default`` is used where the option is not given; "absent"
    means that it may be left out and then counts as its own case.
    """

    name: str
    spelling: str
    default: Any
    values: tuple[Any, ...] = ()
    sets: str = ""
    says: str = ""


@dataclass(frozen=True)
class Setting:
    """One combination of options, and the convention it gives. ``checked`` is "run" or "read"; ``single`` in words."""

    name: str
    when: Mapping[str, Any]
    convention: Convention
    checked: str
    says: str = ""


@dataclass(frozen=True)
class Metric:
    """A logged metric: its name, what it really measures, and how it can mislead about silent groups."""

    name: str
    measures: str
    misleads: str = ""


@dataclass(frozen=True)
class Trap:
    """A trap in a sentence, with a batch that shows it: options, groups and dtype to feed to ``advantages``.

    ``beside`` are other frameworks and options to feed the same batch to, for traps that lie in a difference.
    """

    says: str
    options: Mapping[str, Any]
    groups: tuple[tuple[float, ...], ...]
    dtype: str = "float64"
    beside: tuple[tuple[str, Mapping[str, Any]], ...] = ()


@dataclass(frozen=True)
class Framework:
    """All that is known of one framework at one version; ``read`` and ``run`` say where each claim comes from."""

    name: str
    version: str
    read: str
    run: str
    options: Mapping[str, Option]
    settings: tuple[Setting, ...]
    filter: Filter
    metrics: tuple[Metric, ...]
    traps: tuple[Trap, ...]
    recipes: Mapping[str, str]
    notes: str = ""
    nested: tuple[str, ...] = ()

    @property
    def default(self) -> dict[str, Any]:
        """The options that the framework has when nothing is set."""
        given = {o.name: o.default for o in self.options.values() if o.default != ABSENT and not o.sets}
        first = self.settings[0].when
        return self._nest({**given, **{k: v for k, v in first.items() if v != ABSENT}})

    def setting(self, options: Mapping[str, Any]) -> Setting:
        """The setting that these options select, the first one without options; numbers among them go into it.

        Raises
        ------
        ValueError
            For an unknown option, a value that is not allowed, or a combination that the table does not hold.
        """
        given = self._read(options)
        if not flat(options).keys() - {"default"}:
            return self.settings[0]
        for setting in self.settings:
            if all(given[name] == value for name, value in setting.when.items()):
                return self._with_numbers(setting, given)
        combos = "; ".join(shown(s.when) for s in self.settings)
        raise ValueError(f"options are {shown(options)}; {self.name} {self.version} is known with: {combos}")

    @property
    def number(self) -> Option | None:
        """The option that takes a number and changes the advantage, where there is one."""
        return next((option for option in self.options.values() if option.sets), None)

    def with_option(self, options: Mapping[str, Any], option: Option, value: Any) -> dict[str, Any]:
        """Options with one more, nested as the framework nests them; ValueError where ``setting`` refuses it."""
        both = self._nest({**flat(options), option.name: value})
        self.setting(both)
        return both

    def choices(self) -> Iterator[dict[str, Any]]:
        """The options of every setting, spelled as ``advantages`` takes them."""
        for setting in self.settings:
            yield self._nest({k: v for k, v in setting.when.items() if v != ABSENT})

    def _read(self, options: Mapping[str, Any]) -> dict[str, Any]:
        if not isinstance(options, Mapping):
            raise ValueError(f"options is {options!r}; it must be a mapping: name -> value")
        given = {name: option.default for name, option in self.options.items()}
        for name, value in flat(options).items():
            if name == "default":
                continue
            if name not in self.options:
                known = ", ".join(self.options) or "none"
                raise ValueError(f"option {name!r} is unknown to {self.name}; its options are: {known}")
            option, plain = self.options[name], "null" if value is None else value
            if option.values and not any(type(v) is type(plain) and v == plain for v in option.values):
                allowed = ", ".join(map(str, option.values))
                raise ValueError(f"option {name} is {value!r}; {self.name} allows {allowed}")
            if not option.values and not _is_number(plain):
                raise ValueError(f"option {name} is {value!r}; it must be a number of at least 0")
            given[name] = plain
        return given

    def _nest(self, flat: Mapping[str, Any]) -> dict[str, Any]:
        """Options under the names that the framework nests them in; names that merely have dots stay."""
        out: dict[str, Any] = {}
        for name, value in flat.items():
            head, _, tail = name.partition(".")
            holder = out.setdefault(head, {}) if head in self.nested else out
            holder[tail if head in self.nested else name] = None if value == "null" else value
        return out

    def _with_numbers(self, setting: Setting, given: Mapping[str, Any]) -> Setting:
        numbers = {o.sets: float(given[o.name]) for o in self.options.values() if o.sets and given[o.name] != ABSENT}
        if not numbers:
            return setting
        return _replace(setting, convention=_replace(setting.convention, **numbers))


def shown(options: Mapping[str, Any]) -> str:
    """Options on one line, as a person reads them.

    Examples
    --------
    >>> shown({"scale_rewards": "group", "beta": 0.0})
    'scale_rewards=group, beta=0.0'
    """
    given = {k: v for k, v in flat(options).items() if k != "default"}
    return ", ".join(f"{k}={word(v)}" for k, v in given.items()) or "no options"


@cache
def load(path: Path | None = None) -> Mapping[str, Framework]:
    """Read and check a table of frameworks; without a path, the one that is shipped.

    Raises
    ------
    ValueError
        Naming the framework and the field that is missing, unknown or not allowed.
    """
    source = path or Path(__file__).with_name("frameworks.toml")
    raw = tomllib.loads(source.read_text(encoding="utf-8"))
    out: dict[str, Framework] = {}
    entries = raw.get("framework", [])
    if not isinstance(entries, list):
        raise ValueError(f"{source.name}: framework is a single table; each must be a table of the list, [[framework]]")
    for i, entry in enumerate(entries):
        name = entry.get("name")
        if not isinstance(name, str) or not name:
            raise ValueError(f"framework {i + 1} has no name; each [[framework]] needs one")
        if name in out:
            raise ValueError(f"{name} is in the table twice; names must differ")
        try:
            out[name] = _framework(entry)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{name}: {error}") from error
    _check_beside(out)
    if not out:
        raise ValueError(f"{source.name} has no [[framework]] entry; it must hold at least one")
    return MappingProxyType(out)


def _check_beside(table: Mapping[str, Framework]) -> None:
    """Every framework and options that a trap is shown beside must be in the table."""
    for framework in table.values():
        for other, options in (pair for trap in framework.traps for pair in trap.beside):
            if other not in table:
                raise ValueError(f"{framework.name}: traps.beside names {other!r}; it must be in the table")
            table[other].setting(options)


def _framework(entry: dict[str, Any]) -> Framework:
    _known(entry, "framework", (*(f.name for f in fields(Framework)), "common"))
    for name in ("version", "read", "settings", "recipes"):
        if not entry.get(name):
            raise ValueError(f"{name} is missing; every framework needs one")
    options = {
        name: _build(Option, {"name": name, "spelling": name, **o}) for name, o in entry.get("options", {}).items()
    }
    for option in options.values():
        if option.sets and option.sets not in {f.name for f in fields(Convention)}:
            raise ValueError(f"options.{option.name}.sets is {option.sets!r}; it must be a field of the convention")
    recipes = entry["recipes"]
    if set(recipes) != set(GOALS):
        raise ValueError(f"recipes has {', '.join(sorted(recipes))}; it must have {', '.join(GOALS)}")
    common = entry.get("common", {})
    settings = tuple(_setting(s, common, options) for s in entry["settings"])
    framework = Framework(
        name=entry["name"],
        version=entry["version"],
        read=entry["read"],
        run=entry.get("run", ""),
        options=MappingProxyType(options),
        settings=settings,
        filter=_build(Filter, entry.get("filter", {})),
        metrics=tuple(_build(Metric, m) for m in entry.get("metrics", [])),
        traps=tuple(_trap(t) for t in entry.get("traps", [])),
        recipes=MappingProxyType(recipes),
        notes=entry.get("notes", ""),
        nested=tuple(entry.get("nested", ())),
    )
    for trap in framework.traps:
        framework.setting(trap.options)
    return framework


def _setting(raw: dict[str, Any], common: dict[str, Any], options: Mapping[str, Option]) -> Setting:
    _known(raw, "settings", ("name", "when", "does", "checked", "says"))
    does = {**common, **raw.get("does", {})}
    if "whiten" in does:
        does["whiten"] = _build(Whitening, does["whiten"])
    when = raw.get("when", {})
    for name, value in when.items():
        if name not in options:
            raise ValueError(f"settings.when names {name!r}; the options are: {', '.join(options) or 'none'}")
        option = options[name]
        if value not in option.values and value != option.default:
            raise ValueError(f"settings.when has {name} = {value!r}; allowed are {', '.join(map(str, option.values))}")
    if raw.get("checked") not in ("run", "read"):
        raise ValueError(f"settings.checked is {raw.get('checked')!r}; it must be run or read")
    convention = _build(Convention, does)
    name = raw.get("name") or describe(convention)
    return Setting(name, MappingProxyType(when), convention, raw["checked"], raw.get("says", ""))


def _trap(raw: dict[str, Any]) -> Trap:
    _known(raw, "traps", tuple(f.name for f in fields(Trap)))
    groups = tuple(tuple(float(r) for r in g) for g in raw.get("groups", []))
    beside = tuple((other["framework"], other.get("options", {})) for other in raw.get("beside", []))
    return Trap(raw["says"], raw.get("options", {}), groups, raw.get("dtype", "float64"), beside)


def _build(kind: type[_T], raw: Mapping[str, Any]) -> _T:
    """A dataclass from a table of the file; lists become tuples, and unknown names are an error."""
    names = tuple(f.name for f in fields(kind))  # type: ignore[arg-type]
    _known(raw, kind.__name__.lower(), names)
    return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in raw.items()})


def _known(raw: Mapping[str, Any], where: str, names: Sequence[str]) -> None:
    unknown = sorted(set(raw) - set(names))
    if unknown:
        raise ValueError(f"{where} has {unknown[0]!r}; its fields are {', '.join(names)}")


def _replace(obj: _T, **changes: Any) -> _T:
    values = {f.name: getattr(obj, f.name) for f in fields(obj)}  # type: ignore[arg-type]
    return type(obj)(**{**values, **changes})


def flat(options: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested options with dotted names."""
    out: dict[str, Any] = {}
    for name, value in options.items():
        if isinstance(value, Mapping):
            out.update(flat(value, f"{prefix}{name}."))
        else:
            out[prefix + name] = value
    return out


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0


def word(value: Any) -> str:
    """A value as options are written: true, false, null, or itself."""
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
