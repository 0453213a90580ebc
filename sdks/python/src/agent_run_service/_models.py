"""What the generated models are built on: they accept answers of newer and of older services."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Discriminator, TypeAdapter, ValidationError
from typing_extensions import TypeAliasType

T = TypeVar("T")


class Model(BaseModel):
    """An object of the API. Fields that this version does not know are kept and are attributes too."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="allow", populate_by_name=True, protected_namespaces=())

    def to_dict(self) -> dict[str, Any]:
        """The object as JSON values, as the service sent it."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True, warnings=False)


class WithOutput(Model):
    """An object with the output of a run."""

    @property
    def output_text(self) -> str | None:
        """The text of the output, which is its field `result`; None if that is no text."""
        output = getattr(self, "output", None)
        text = output.get("result") if isinstance(output, dict) else None
        return text if isinstance(text, str) else None

    def output_as(self, form: type[T]) -> T:
        """
        The output as a type, such as a pydantic model, a dataclass or a TypedDict. An output that does not fit raises
        `pydantic.ValidationError`.
        """
        output: T = _adapter(form).validate_python(getattr(self, "output", None))
        return output


def parse(form: Any, value: object) -> Any:
    """
    The value as the given type. Where the service sent something else than this version expects, the value is kept as
    it came instead of an error: a new release of the service must not break this client.
    """
    try:
        return _adapter(form).validate_python(value)
    except ValidationError:
        return _lenient(form, value)


_adapters: dict[Any, TypeAdapter[Any]] = {}


def _adapter(form: Any) -> TypeAdapter[Any]:
    found = _adapters.get(form)
    if found is None:
        found = _adapters[form] = TypeAdapter(form)
    return found


def _lenient(form: Any, value: object) -> Any:
    if isinstance(form, TypeAliasType):
        return parse(form.__value__, value)
    origin = get_origin(form)
    if origin is Annotated:
        return _lenient_union(form, value)
    if origin is list and isinstance(value, list):
        (item,) = get_args(form)
        return [parse(item, each) for each in value]
    if origin is dict and isinstance(value, dict):
        _, item = get_args(form)
        return {name: parse(item, each) for name, each in value.items()}
    if origin in (Union, types.UnionType):
        options = [option for option in get_args(form) if option is not type(None)]
        return _lenient(options[0], value) if len(options) == 1 else value
    if isinstance(form, type) and issubclass(form, Model) and isinstance(value, dict):
        return _construct(form, value)
    return value


def _lenient_union(form: Any, value: object) -> Any:
    """A union with a discriminator: the variant that it names."""
    union, *remarks = get_args(form)
    discriminator = next((each for each in remarks if isinstance(each, Discriminator)), None)
    if discriminator is None or not callable(discriminator.discriminator):
        return _lenient(union, value)
    wanted = discriminator.discriminator(value)
    for option in get_args(union):
        variant, *tags = get_args(option)
        if any(getattr(tag, "tag", None) == wanted for tag in tags):
            return parse(variant, value)
    return value


def _construct(form: type[Model], value: Mapping[str, Any]) -> Model:
    given: dict[str, Any] = {}
    for name, info in form.model_fields.items():
        sent = info.alias or name
        # A field that is missing is None, whatever its type says.
        given[name] = parse(info.rebuild_annotation(), value[sent]) if sent in value else None
    known = {info.alias or name for name, info in form.model_fields.items()}
    extra = {name: each for name, each in value.items() if name not in known}
    present = {name for name, info in form.model_fields.items() if (info.alias or name) in value}
    return form.model_construct(_fields_set=present | set(extra), **given, **extra)


def tag_of(field: str, kinds: Mapping[str, str], unknown: str) -> Callable[[Any], str]:
    """Chooses the variant of a union by one of its fields."""

    def tag(value: Any) -> str:
        found = value.get(field) if isinstance(value, dict) else getattr(value, field, None)
        return kinds.get(found, unknown) if isinstance(found, str) else unknown

    return tag
