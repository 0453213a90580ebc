import type { ClientModel, EnumType, Field, NamedType, ObjectType, TypeUse, UnionType } from './client-model.ts'
import { hasOutputText } from './output-text.ts'
import { docstring, fieldName, literal, note, pythonName } from './sdk-python-text.ts'

type Named<Kind> = NamedType & Kind

/** The names of types that clients send. Answers and parameters have separate types. */
const paramName = (name: string): string => (name.endsWith('Params') ? name : `${name}Params`)

/** The annotation of a received value. */
export const receivedType = (type: TypeUse, prefix = ''): string => {
  const written = plainReceived(type, prefix)
  return type.nullable && written !== 'Any' ? `${written} | None` : written
}

const plainReceived = (type: TypeUse, prefix: string): string => {
  switch (type.kind) {
    case 'list':
      return `list[${receivedType(type.items, prefix)}]`
    case 'map':
      return `dict[str, ${receivedType(type.values, prefix)}]`
    case 'named':
      return prefix + type.name
    case 'datetime':
      return 'AwareDatetime'
    default:
      return plainType(type)
  }
}

/** The annotation of a value that clients send. Enumerations are closed here, so that a misspelt value is found. */
export const sentType = (model: ClientModel, type: TypeUse, prefix = ''): string => {
  const written = plainSent(model, type, prefix)
  return type.nullable && written !== 'Any' ? `${written} | None` : written
}

const plainSent = (model: ClientModel, type: TypeUse, prefix: string): string => {
  switch (type.kind) {
    case 'list':
      return `Sequence[${sentType(model, type.items, prefix)}]`
    case 'map':
      return `Mapping[str, ${sentType(model, type.values, prefix)}]`
    case 'named': {
      const form = model.types.find(({ name }) => name === type.name)
      return prefix + (form?.kind === 'enum' ? type.name : paramName(type.name))
    }
    default:
      return plainType(type)
  }
}

const plainType = (type: TypeUse): string => {
  if (type.kind === 'literal') return `Literal[${literal(type.value)}]`
  const names: Partial<Record<TypeUse['kind'], string>> = {
    string: 'str',
    datetime: 'datetime',
    integer: 'int',
    number: 'float',
    boolean: 'bool',
  }
  return names[type.kind] ?? 'Any'
}

const isObject = (form: NamedType): form is Named<ObjectType> => form.kind === 'object'
const isEnum = (form: NamedType): form is Named<EnumType> => form.kind === 'enum'
const isUnion = (form: NamedType): form is Named<UnionType> => form.kind === 'union'

/** The types of answers: pydantic models that accept unknown fields and values. */
export const modelsFile = (model: ClientModel): string => {
  const received = model.types.filter((form) => form.received)
  const parts = [
    note,
    `from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, Union

from pydantic import AwareDatetime, Discriminator, Field, Tag

from .._models import Model as _Base
from .._models import WithOutput as _WithOutput
from .._models import tag_of
`,
    ...received.filter(isEnum).map((form) => `${enumAlias(form, 'open')}`),
    ...received.filter(isObject).map(modelClass),
    ...received.filter(isUnion).map((form) => receivedUnion(model, form)),
    rebuild(received),
    exportsOf(
      received.flatMap((form) =>
        isUnion(form) && form.discriminator ? [form.name, `Unknown${form.name}`] : [form.name],
      ),
    ),
  ]
  return `${parts.join('\n').trimEnd()}\n`
}

/** The types of parameters: typed dictionaries. */
export const paramsFile = (model: ClientModel): string => {
  const sent = model.types.filter((form) => form.sent)
  const parts = [
    note,
    `from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypeAlias, Union

from typing_extensions import NotRequired, TypedDict
`,
    ...sent.filter(isEnum).map((form) => enumAlias(form, 'closed')),
    ...sent.filter(isObject).map((form) => typedDict(model, form)),
    ...sent.filter(isUnion).map((form) => {
      const variants = form.variants.map((each) => sentType(model, each))
      return `${paramName(form.name)}: TypeAlias = Union[${variants.join(', ')}]\n${docstring(form.docs, '')}`
    }),
    exportsOf(sent.map((form) => (isEnum(form) ? form.name : paramName(form.name)))),
  ]
  return `${parts.join('\n').trimEnd()}\n`
}

/** Otherwise a model that names a later one is completed at its first use, which several threads can do at once. */
const rebuild = (received: readonly NamedType[]): string => {
  const names = received.flatMap((form) => {
    if (isUnion(form)) return form.discriminator ? [`Unknown${form.name}`] : []
    return isObject(form) ? [form.name] : []
  })
  return `for _form in (\n${names.map((name) => `    ${name},\n`).join('')}):\n    _form.model_rebuild()\n`
}

const exportsOf = (names: readonly string[]): string =>
  `__all__ = [\n${names
    .toSorted()
    .map((name) => `    "${name}",\n`)
    .join('')}]\n`

const enumAlias = ({ name, values, docs }: Named<EnumType>, use: 'open' | 'closed'): string => {
  const listed = `Literal[${values.map(literal).join(', ')}]`
  const written = use === 'open' ? `Union[${listed}, str]` : listed
  return `${name}: TypeAlias = ${written}\n${docstring(docs, '')}`
}

const anyAttribute = `    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
`

const modelClass = (form: Named<ObjectType>): string => {
  const fields = form.fields.map(modelField).join('')
  const body = [docstring(form.docs, '    '), fields, form.loose ? `\n${anyAttribute}` : ''].join('')
  return `\nclass ${form.name}(${hasOutputText(form.name) ? '_WithOutput' : '_Base'}):\n${body || '    pass\n'}`
}

const modelField = ({ name, type, required, docs }: Field): string => {
  const written = receivedType(required ? type : { ...type, nullable: true })
  const own = fieldName(name)
  const alias = own === name ? '' : `alias=${literal(name)}`
  const absent = required ? '' : 'default=None'
  const given = [absent, alias].filter(Boolean).join(', ')
  const value = alias === '' ? absent.replace('default=', ' = ') : ` = Field(${given})`
  return `    ${own}: ${written}${value}\n${docstring(docs, '    ')}`
}

/** The variants, and one for those that this version does not know. */
const receivedUnion = (model: ClientModel, { name, docs, discriminator, variants }: Named<UnionType>): string => {
  if (!discriminator) {
    return `\n${name}: TypeAlias = Union[${variants.map((each) => receivedType(each)).join(', ')}]\n${docstring(docs, '')}`
  }
  const { field, cases } = discriminator
  const shared = sharedFields(model, variants).filter((each) => each.name !== field)
  const unknown = `Unknown${name}`
  const types = [...new Set(cases.map(({ type }) => type)), unknown]
  return [
    `\nclass ${unknown}(_Base):`,
    docstring(`A kind of ${name} that this version does not know.`, '    ').trimEnd(),
    // mypy narrows a union by a field only if the field is a literal in each of its classes.
    `\n    if TYPE_CHECKING:\n        ${field}: Literal["unknown"]\n    else:\n        ${field}: str\n`,
    ...shared.map((each) => modelField(each).trimEnd()),
    `\n${anyAttribute}\n`,
    `_${name.toUpperCase()}_KINDS = {`,
    ...cases.map(({ value, type }) => `    ${literal(value)}: "${type}",`),
    '}\n',
    `${name}: TypeAlias = Annotated[\n    Union[`,
    ...types.map((type) => `        Annotated[${type}, Tag("${type}")],`),
    `    ],\n    Discriminator(tag_of("${field}", _${name.toUpperCase()}_KINDS, "${unknown}")),\n]`,
    docstring(docs, ''),
  ].join('\n')
}

const sharedFields = (model: ClientModel, variants: readonly TypeUse[]): readonly Field[] => {
  const forms = variants.flatMap((each) => {
    const form = model.types.find(({ name }) => each.kind === 'named' && name === each.name)
    return form && isObject(form) ? [form] : []
  })
  const [first, ...others] = forms
  const isShared = (field: Field): boolean =>
    others.every(({ fields }) =>
      fields.some((each) => each.name === field.name && JSON.stringify(each.type) === JSON.stringify(field.type)),
    )
  return first?.fields.filter(isShared) ?? []
}

const typedDict = (model: ClientModel, form: Named<ObjectType>): string => {
  const bad = form.fields.find(({ name }) => pythonName(name) !== name)
  if (bad) throw new Error(`${form.name}.${bad.name} is a word of Python: give it another name in the contract`)
  const fields = form.fields.map(({ name, type, required, docs }) => {
    const written = sentType(model, type)
    return `    ${name}: ${required ? written : `NotRequired[${written}]`}\n${docstring(docs, '    ')}`
  })
  const body = docstring(form.docs, '    ') + fields.join('')
  return `\nclass ${paramName(form.name)}(TypedDict):\n${body || '    pass\n'}`
}
