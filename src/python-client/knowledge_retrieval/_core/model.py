"""Answers of the service as objects. The classes themselves are generated from its spec: see types.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Mapping


def to_wire_name(name: str) -> str:
    """The service's name of an argument: knowledge_base_id → knowledgeBaseId, from_ → from."""
    first, *rest = name.strip("_").split("_")
    return first + "".join(word.capitalize() for word in rest)


def to_python_name(name: str) -> str:
    """The argument of a name of the service: knowledgeBaseId → knowledge_base_id."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def _decode(value: Any, model: type[Model] | None) -> Any:
    if isinstance(value, list):
        return [_decode(item, model) for item in value]
    return model(value) if model is not None and isinstance(value, dict) else value


class Model:
    """
    An object of the service. Its fields are attributes in snake_case; None: the answer has no such field. `to_dict()`
    returns what has arrived, also fields that this version of the package does not know.
    """

    _fields: ClassVar[Mapping[str, Any]] = {}
    _required: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, wire: Mapping[str, Any]) -> None:
        self.__dict__["_wire"] = wire

    def to_dict(self) -> dict[str, Any]:
        """The object as it came, with the service's own names."""
        return dict(self.__dict__["_wire"])

    if not TYPE_CHECKING:  # for type checkers an unknown name is an error

        def __getattr__(self, name: str) -> Any:
            """Decodes a field when it is first used."""
            field = type(self)._fields.get(name)
            if field is None:
                raise AttributeError(f"{type(self).__name__} has no field {name}.")
            wire_name, model = field if isinstance(field, tuple) else (field, None)
            wire = self.__dict__.get("_wire", {})
            if wire_name not in wire and name in type(self)._required:
                raise AttributeError(f"The answer has no {name}: was it left out of `fields`?")
            value = self.__dict__[name] = _decode(wire.get(wire_name), model)
            return value

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name} cannot be changed: this is what the service has answered.")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__["_wire"] == other.__dict__["_wire"]

    __hash__ = None  # type: ignore[assignment] # it holds lists

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *type(self)._fields]

    def __reduce__(self) -> Any:
        return type(self), (self.__dict__["_wire"],)

    def __repr__(self) -> str:
        wire = self.__dict__["_wire"]
        names = {field[0] if isinstance(field, tuple) else field: name for name, field in self._fields.items()}
        shown = ", ".join(f"{names[key]}={getattr(self, names[key])!r}" for key in wire if key in names)
        return f"{type(self).__name__}({shown})"
