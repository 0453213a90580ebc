import type { EnumType, Field, ObjectType, TypeUse, UnionType } from './client-shape.ts'
import { type Document, resolve, type Schema } from './document.ts'

type Form = { readonly name: string; readonly docs: string } & (ObjectType | EnumType | UnionType)
type Place = {
  /** The name for a type that the document does not name. */
  readonly name: string
  /** The field that holds it. Two fields with the same name and the same content have the same type. */
  readonly field: string
}

export type TypeCollector = {
  /** The use of a schema. Objects, enums and unions in it become named types. */
  use(schema: Schema, place: Place): TypeUse
  fieldsOf(schema: Schema, owner: string): Field[]
  readonly types: ReadonlyMap<string, Form>
}

/** Turns schemas of the document into types of the model. Every construct that it does not know is an error. */
export const collectTypes = (document: Document, known: ReadonlyMap<string, readonly string[]>): TypeCollector => {
  const types = new Map<string, Form>()
  const alike = new Map<string, string>()
  const components = new Set(Object.keys((document.components?.schemas ?? {}) as object))

  const use = (given: Schema, place: Place): TypeUse => {
    const { nullable, schema } = withoutNull(given)
    return { ...plainUse(schema, place), nullable }
  }

  const plainUse = (schema: Schema, place: Place): TypeUse => {
    if (schema.$ref) return useComponent(schema.$ref)
    const options = schema.oneOf ?? schema.anyOf
    if (options) return useOptions(schema, options, place)
    if (schema.enum || schema.const !== undefined) return useEnum(schema, place)
    const value = (part: Schema) => use(part, { ...place, name: singular(place.name) })
    switch (schema.type) {
      case 'string':
        if (schema.format === 'date-time') return { kind: 'datetime', nullable: false }
        return { kind: 'string', nullable: false, ...(isFormat(schema.format) && { format: schema.format }) }
      case 'integer':
      case 'number':
      case 'boolean':
        return { kind: schema.type, nullable: false }
      case 'array':
        return { kind: 'list', nullable: false, items: value(schema.items ?? {}) }
      case 'object':
        if (schema.properties) return useObject(schema, place)
        return { kind: 'map', nullable: false, values: value(mapValues(schema)) }
      case undefined:
        return { kind: 'unknown', nullable: false }
      default:
        throw new Error(`${place.name} has the type ${JSON.stringify(schema.type)}, which the clients do not know`)
    }
  }

  const useComponent = ($ref: string): TypeUse => {
    const name = $ref.split('/').at(-1) ?? ''
    if (!types.has(name)) {
      const schema = resolve<Schema>(document, { $ref })
      // Kept free while it is built, because a type can contain itself.
      types.set(name, { kind: 'object', name, docs: '', fields: [], loose: false })
      const made = plainUse({ ...schema }, { name, field: `component ${name}` })
      // A component that is only another name for a string or a list is written out at each use.
      if (made.kind !== 'named' || made.name !== name) {
        types.delete(name)
        return made
      }
    }
    return { kind: 'named', name, nullable: false }
  }

  const useObject = (schema: Schema, place: Place): TypeUse =>
    named(schema, place, (name) => {
      const fields = fieldsOf(schema, name)
      const data = fields.find((each) => each.name === 'data')?.type
      const isPage = fields.some(({ type }) => type.kind === 'literal' && type.value === 'list')
      return {
        kind: 'object',
        name,
        docs: docsOf(schema),
        fields,
        loose: typeof schema.additionalProperties === 'object' || schema.additionalProperties === true,
        ...(isPage && data?.kind === 'list' && { pageOf: data.items }),
      }
    })

  const fieldsOf = (schema: Schema, owner: string): Field[] =>
    Object.entries(schema.properties ?? {}).map(([name, part]) => ({
      name,
      type: use(part, { name: owner + pascal(name), field: name }),
      required: schema.required?.includes(name) ?? false,
      docs: docsOf(part),
      ...(part.default !== undefined && { default: part.default }),
      secret: (part as { writeOnly?: boolean }).writeOnly === true,
    }))

  const useEnum = (schema: Schema, place: Place): TypeUse => {
    const values = schema.enum ?? [schema.const]
    const [only] = values
    if (values.length === 1 && isLiteral(only)) return { kind: 'literal', value: only, nullable: false }
    const texts = values.filter((value) => typeof value === 'string')
    if (texts.length < values.length) throw new Error(`${place.name} is an enumeration of other things than strings`)
    const name = place.field.startsWith('component ') ? place.name : nearest(known.get(texts.join()), place.name)
    return named(schema, { ...place, name }, (name) => ({
      kind: 'enum',
      name,
      docs: docsOf(schema),
      values: texts,
      open: false,
    }))
  }

  const useOptions = (schema: Schema, options: readonly Schema[], place: Place): TypeUse => {
    const [only, ...others] = options
    if (only && others.length === 0) return plainUse(only, place)
    const text = textOf(options)
    if (text) return plainUse({ ...text, ...(docsOf(schema) && { description: docsOf(schema) }) } as Schema, place)
    return named(schema, place, (name) => unionOf(schema, options, name))
  }

  const unionOf = (schema: Schema, options: readonly Schema[], name: string): Form => {
    const whole = options.map((option) => resolve<Schema>(document, option))
    const given = (schema as { discriminator?: { propertyName: string; mapping?: Record<string, string> } })
      .discriminator
    const field = given?.propertyName ?? sharedLiteral(whole)
    const variants = options.map((option, n) => {
      const value = field === undefined ? `Variant${n + 1}` : String(literalsOf(whole[n], field)[0])
      return use(option, { name: name + pascal(value), field: `${name} ${value}` })
    })
    const nameOf = (n: number): string => {
      const variant = variants[n]
      if (variant?.kind !== 'named') throw new Error(`A variant of ${name} is not an object`)
      return variant.name
    }
    const cases =
      field && whole.flatMap((each, n) => literalsOf(each, field).map((value) => ({ value, type: nameOf(n) })))
    return {
      kind: 'union',
      name,
      docs: docsOf(schema),
      ...(field && cases && { discriminator: { field, cases } satisfies UnionType['discriminator'] }),
      variants,
      open: false,
    }
  }

  /** Gives the form a name. A component keeps its own; another place with the same content shares the first name. */
  const named = (schema: Schema, place: Place, build: (name: string) => Form): TypeUse => {
    const content = `${singular(place.field)} ${JSON.stringify(contentOf(schema))}`
    const isComponent = place.field.startsWith('component ')
    let name = alike.get(content) ?? place.name
    if (!alike.has(content)) {
      if (!isComponent && (types.has(name) || components.has(name))) {
        const values = schema.enum?.join()
        const taken = types.get(name)
        // The enumeration with this name in the contract, met in another field.
        if (taken?.kind === 'enum' && taken.values.join() === values) return { kind: 'named', name, nullable: false }
        // `organisations` beside `organisation`, or the limits of an agent beside the component `AgentLimits`.
        name = `${name}Value`
        if (types.has(name) || components.has(name))
          throw new Error(`Two types would be called ${name}: give one a name in the contract`)
      }
      alike.set(content, name)
      types.set(name, build(name))
    }
    return { kind: 'named', name, nullable: false }
  }

  return { use, fieldsOf, types }
}

/** Of enumerations with the same values, the one whose name begins most like the place. */
const nearest = (names: readonly string[] | undefined, place: string): string =>
  names?.reduce((best, name) => (shared(name, place) > shared(best, place) ? name : best)) ?? place

const shared = (one: string, other: string): number => {
  const differs = [...one].findIndex((letter, n) => letter !== other[n])
  return differs === -1 ? one.length : differs
}

/** `type: [string, null]` and `anyOf: [X, null]` are the same as a nullable X. */
const withoutNull = (schema: Schema): { nullable: boolean; schema: Schema } => {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null')
    const values = schema.enum?.filter((value) => value !== null)
    const [type] = types
    if (types.length !== 1 || type === undefined) throw new Error(`A field has several types: ${types.join(', ')}`)
    return { nullable: schema.type.includes('null'), schema: { ...schema, type, ...(values && { enum: values }) } }
  }
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const options = schema[keyword]
    const others = options?.filter(({ type }) => type !== 'null')
    if (options && others && others.length < options.length)
      return { nullable: true, schema: { ...schema, [keyword]: others } }
  }
  return { nullable: false, schema }
}

/** A choice between texts is a text, and one between the values of an enumeration and any text is that enumeration. */
const textOf = (options: readonly Schema[]): Schema | undefined => {
  if (options.some(({ type }) => type !== 'string')) return undefined
  return options.find((option) => option.enum) ?? { type: 'string' }
}

const mapValues = ({ additionalProperties }: Schema): Schema =>
  typeof additionalProperties === 'object' ? additionalProperties : {}

/** The field that has another fixed value in each variant. */
const sharedLiteral = (variants: readonly Schema[]): string | undefined =>
  Object.keys(variants[0]?.properties ?? {}).find((name) => variants.every((each) => literalsOf(each, name).length > 0))

const literalsOf = (variant: Schema | undefined, field: string): string[] => {
  const { enum: values, const: only } = variant?.properties?.[field] ?? {}
  return (values ?? (only === undefined ? [] : [only])).filter((value) => typeof value === 'string')
}

const docsOf = (schema: Schema): string => (schema as { description?: string }).description ?? ''

const isLiteral = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)

const isFormat = (format: string | undefined): format is 'uri' | 'email' | 'password' =>
  format === 'uri' || format === 'email' || format === 'password'

/** The content without remarks, to compare two places. */
const contentOf = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(contentOf)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).filter(([key, value]) => !(isRemark(key) && typeof value !== 'object'))
  return Object.fromEntries(entries.map(([key, value]) => [key, contentOf(value)]))
}

const isRemark = (key: string): boolean => key === 'description' || key === 'title' || key === 'default'

/** `tool_call` → `ToolCall`, `run.completed` → `RunCompleted` */
export const pascal = (text: string): string =>
  text.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())

const singular = (name: string): string => {
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`
  return /[^s]s$/.test(name) && !name.endsWith('us') ? name.slice(0, -1) : name
}
