import type { ClientModel, ClientOperation, Field, NamedType, TypeUse, UnionType } from '../client-model.ts'
import { paramsName, queryType } from '../sdk-go.ts'
import { goArgument, goName } from '../sdk-go-names.ts'
import { goTypes } from '../sdk-go-types.ts'
import type { Call } from './find-call.ts'
import { around, type Group, type Item, type Layout } from './layout.ts'
import { isEnvironment } from './page.ts'
import { type Path, type Refs, refOf } from './plan.ts'
import type { Json, Quoted, Text, TextPart } from './request.ts'

export type GoValues = {
  text(text: Text, refs: Refs): string
  /** A JSON value in the type that the SDK takes. */
  value(json: Json, type: TypeUse, refs: Refs): Layout
  params(model: ClientModel, call: Call, refs: Refs): Layout
  /** The parameters can be nil. */
  isPointer(operation: ClientOperation): boolean
  /** The value at a path of a variable. */
  path(name: string, path: Path): string
}

export const goValues = (model: ClientModel): GoValues => {
  const types = goTypes(model)
  const formOf = (type: TypeUse): NamedType | undefined =>
    type.kind === 'named' ? model.types.find(({ name }) => name === type.name) : undefined

  const value = (json: Json, type: TypeUse, refs: Refs): Layout => {
    if (json === null) return 'nil'
    const form = formOf(type)
    if (type.kind === 'unknown' || (form?.kind === 'union' && !form.discriminator)) return loose(json, refs)
    if (typeof json !== 'object') return JSON.stringify(json)
    if (Array.isArray(json)) {
      if (type.kind !== 'list') return loose(json, refs)
      return braces(
        qualified(types.use(type)),
        json.map((each) => ({ value: value(each, type.items, refs) })),
      )
    }
    if ('bare' in json) return part(json.bare, refs)
    if ('quoted' in json) {
      if (type.kind === 'datetime') return date(json, refs)
      return form?.kind === 'enum' ? enumValue(form.name, json, refs) : text(json.quoted, refs)
    }
    if (!('fields' in json)) return ''
    if (form?.kind === 'object') return struct(form, json.fields, refs)
    if (form?.kind === 'union') return variant(form, json.fields, refs)
    if (type.kind !== 'map') return loose(json, refs)
    const written = types.use(type)
    const isPointer = /^map\[string\]\*/.test(written)
    const members = json.fields.map(([key, each]) => {
      const inner = value(each, type.values, refs)
      return { key, value: isPointer && each !== null ? around('ars.Ptr(', inner, ')') : inner }
    })
    return keyed(qualified(written), members)
  }

  const struct = (form: NamedType, fields: readonly [string, Json][], refs: Refs): Group =>
    braces(
      `ars.${goName(form.name)}`,
      fields.flatMap(([name, json]) => {
        const field = form.kind === 'object' ? form.fields.find((each) => each.name === name) : undefined
        if (!field) throw new Error(`${form.name} has no field ${name}`)
        if (field.type.kind === 'literal') return []
        return { head: `${goName(name)}: `, value: fieldValue(types.fieldType(field, true), json, field, refs) }
      }),
    )

  const variant = (form: NamedType & UnionType, fields: readonly [string, Json][], refs: Refs): Layout => {
    const [, told] = fields.find(([name]) => name === form.discriminator?.field) ?? []
    const wanted = typeof told === 'object' && told !== null && 'quoted' in told ? told.quoted[0] : undefined
    const found = form.discriminator?.cases.find((each) => each.value === wanted)
    const type = model.types.find(({ name }) => name === found?.type)
    if (!type) throw new Error(`${form.name} has no variant ${JSON.stringify(wanted)}`)
    return struct(type, fields, refs)
  }

  /** A field that can be absent is a pointer or an Optional. */
  const fieldValue = (written: string, json: Json, field: Field, refs: Refs): Layout => {
    const [, wrapper = ''] = /^(\*|Optional\[)/.exec(written) ?? []
    if (wrapper === 'Optional[' && json === null) return `ars.Null[${qualified(types.use(field.type))}]()`
    const inner = value(json, field.type, refs)
    if (wrapper === '') return inner
    const form = formOf(field.type)
    if (wrapper === '*' && form?.kind === 'object') return around('&', inner)
    // An untyped constant would become an int.
    const isWhole = typeof json === 'number' && (field.type.kind === 'integer' || Number.isInteger(json))
    const type = isWhole ? `[${types.use(field.type)}]` : ''
    return around(`ars.${wrapper === '*' ? 'Ptr' : 'Value'}${type}(`, inner, ')')
  }

  const loose = (json: Json, refs: Refs): Layout => {
    if (json === null) return 'nil'
    if (typeof json !== 'object') return JSON.stringify(json)
    if (Array.isArray(json))
      return braces(
        '[]any',
        json.map((each) => ({ value: loose(each, refs) })),
      )
    if ('bare' in json) return part(json.bare, refs)
    if ('quoted' in json) return text(json.quoted, refs)
    if (!('fields' in json)) return ''
    return keyed(
      'map[string]any',
      json.fields.map(([key, each]) => ({ key, value: loose(each, refs) })),
    )
  }

  const enumValue = (name: string, { quoted }: Quoted, refs: Refs): string => {
    const [only] = quoted
    if (quoted.length === 1 && typeof only === 'string') return `ars.${goName(name)}${goName(only)}`
    return `ars.${goName(name)}(${text(quoted, refs)})`
  }

  return {
    text,
    value,
    params: (_, { resource, operation, fields }, refs) => {
      const { body } = operation
      const mark = isPointer(operation) ? '&' : ''
      if (body) {
        const form = model.types.find(({ name }) => name === body.type)
        if (!form) throw new Error(`There is no type ${body.type}`)
        const given = fields.map(({ field, value: json }): [string, Json] => [field.name, json])
        return around(mark, struct(form, given, refs))
      }
      const items = fields.map(({ field, value: json }) => ({
        head: `${goName(field.name)}: `,
        value: fieldValue(queryType(types, field), json, field, refs),
      }))
      return braces(`${mark}ars.${paramsName(resource, operation)}`, items)
    },
    isPointer,
    path: (name, path) => {
      const written = path.map((step) => {
        if (step.kind === 'index') return `[${step.at}]`
        if (step.kind === 'key') return `[${JSON.stringify(step.key)}]`
        if (step.kind === 'output_text') return '.OutputText()'
        return `.${goName(step.kind === 'page' ? step.name : step.field.name)}`
      })
      const last = path.at(-1)
      const isPointerAtEnd =
        last?.kind === 'page'
          ? last.nullable
          : last?.kind === 'field' && types.fieldType(last.field, false).startsWith('*')
      return `${isPointerAtEnd ? '*' : ''}${name}${written.join('')}`
    },
  }
}

const isPointer = ({ body, query }: ClientOperation): boolean =>
  body ? !body.required : !query.some(({ required }) => required)

const braces = (type: string, items: readonly Item[]): Group => ({ open: `${type}{`, items, close: '}', aligns: true })

const keyed = (type: string, members: readonly { key: string; value: Layout }[]): Group =>
  braces(
    type,
    members.map((member) => ({ head: `${JSON.stringify(member.key)}: `, value: member.value })),
  )

/** `[]BatchItem` → `[]ars.BatchItem` */
const qualified = (type: string): string => type.replaceAll(/(^|[^.\w])([A-Z]\w*)/g, '$1ars.$2')

const date = ({ quoted }: Quoted, refs: Refs): string => {
  const [only = ''] = quoted
  if (typeof only !== 'string') return part(only, refs)
  const at = new Date(only)
  const day = `${at.getUTCFullYear()}, ${at.getUTCMonth() + 1}, ${at.getUTCDate()}`
  return `time.Date(${day}, ${at.getUTCHours()}, ${at.getUTCMinutes()}, ${at.getUTCSeconds()}, 0, time.UTC)`
}

const text = (given: Text, refs: Refs): string =>
  given.length === 0 ? '""' : given.map((each) => part(each, refs)).join(' + ')

const part = (each: TextPart, refs: Refs): string => {
  if (typeof each === 'string') return JSON.stringify(each)
  if ('agoMs' in each) {
    const hours = each.agoMs / 3_600_000
    return `time.Now().Add(-${hours === 1 ? '' : `${hours} * `}time.Hour)`
  }
  if ('clock' in each)
    return each.clock === 'month' ? 'time.Now().UTC().Format("2006-01")' : 'fmt.Sprint(time.Now().Unix())'
  if (isEnvironment(each.variable) && !refs.has(each.variable)) return `os.Getenv(${JSON.stringify(each.variable)})`
  const { name, path } = refOf(refs, each.variable)
  return goArgument(name) + path.map((step) => (step.kind === 'field' ? `.${goName(step.field.name)}` : '')).join('')
}
