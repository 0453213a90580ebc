import type { ClientModel, EnumType, Field, NamedType, ObjectType, TypeUse, UnionType } from './client-shape.ts'
import { goComment, goName, sentence } from './sdk-go-names.ts'

type Named<Kind> = NamedType & Kind
export type GoTypes = {
  use(type: TypeUse): string
  /** The type of a field of a struct: a pointer or an Optional if the field can be absent. */
  fieldType(field: Field, isSent: boolean): string
  print(type: NamedType): string
  isWritten(type: NamedType): boolean
}

/** Written by hand: errors are one type, and pages are `Page[T]`. */
const byHand: ReadonlySet<string> = new Set(['Error', 'ErrorError', 'ErrorErrorDetail', 'ErrorErrorType'])

export const goTypes = (model: ClientModel): GoTypes => {
  const byName = new Map(model.types.map((type) => [type.name, type]))
  const keptRaw = rawTypes(model)

  const use = (type: TypeUse): string => {
    switch (type.kind) {
      case 'string':
        return 'string'
      case 'datetime':
        return 'time.Time'
      case 'integer':
        return 'int64'
      case 'number':
        return 'float64'
      case 'boolean':
        return 'bool'
      case 'literal':
        return { string: 'string', number: 'float64', boolean: 'bool' }[typeof type.value as 'string']
      case 'unknown':
        return 'any'
      case 'list':
        return `[]${elementOf(type.items)}`
      case 'map':
        return `map[string]${elementOf(type.values)}`
      case 'named':
        return goName(type.name)
    }
  }
  const elementOf = (type: TypeUse): string => (type.nullable && !canBeNil(type) ? `*${use(type)}` : use(type))

  /** Slices, maps, interfaces: nil says that there is no value. */
  const canBeNil = (type: TypeUse): boolean =>
    type.kind === 'list' || type.kind === 'map' || type.kind === 'unknown' || isInterface(type)
  const isInterface = (type: TypeUse): boolean => {
    const form = type.kind === 'named' ? byName.get(type.name) : undefined
    return form?.kind === 'union' && !form.received
  }

  const fieldType = (field: Field, isSent: boolean): string => {
    const { type, required } = field
    const plain = use(type)
    if (isSent && !required && type.nullable) return `Optional[${plain}]`
    if (canBeNil(type) || (required && !type.nullable)) return plain
    return `*${plain}`
  }

  const printFields = (fields: readonly Field[], isSent: boolean): string => {
    const rows = fields.map((field) => {
      const options = isSent && !field.required ? ',omitzero' : ''
      const docs = [field.docs, field.default === undefined ? '' : `Default: ${JSON.stringify(field.default)}.`]
      return {
        docs: docs.map(sentence).filter(Boolean).join(' '),
        cells: [goName(field.name), fieldType(field, isSent), `\`json:"${field.name}${options}"\``] as const,
      }
    })
    return aligned(rows)
  }

  const printObject = (type: Named<ObjectType>): string => {
    const name = goName(type.name)
    const literals = type.sent ? type.fields.filter((field) => field.type.kind === 'literal') : []
    const fields = type.fields.filter((field) => !literals.includes(field))
    const isRaw = keptRaw.has(type.name) && !type.sent
    const raw = isRaw ? '\n\traw json.RawMessage\n' : ''
    const body = printFields(fields, type.sent)
    const parts = [`${docsOf(type, name)}type ${name} struct${body + raw === '' ? '{' : ` {\n${body}${raw}`}}\n`]
    if (isRaw) parts.push(keepsRaw(name))
    if (literals.length > 0) parts.push(sendsLiterals(name, literals))
    return parts.join('\n')
  }

  const printUnion = (type: Named<UnionType>): string => {
    const name = goName(type.name)
    const { discriminator } = type
    if (!discriminator) return `${docsOf(type, name)}type ${name} = any\n`
    const variants = [...new Set(discriminator.cases.map((each) => each.type))]
    if (!type.received) {
      return [
        `${goComment([`${name} is one of ${listOf(variants)}.`, sentence(type.docs)], '')}type ${name} interface{ is${name}() }\n`,
        markers(variants.map(goName), name),
      ].join('\n')
    }
    return receivedUnion(type, discriminator, variants)
  }

  const receivedUnion = (
    type: Named<UnionType>,
    { field, cases }: NonNullable<UnionType['discriminator']>,
    variants: readonly string[],
  ): string => {
    const name = goName(type.name)
    const shared = sharedFields(variants.map((each) => byName.get(each)))
    const values = cases.map(({ value }) => value).join()
    const known = model.types.find((each) => each.kind === 'enum' && each.values.join() === values)
    const selector: Field = {
      name: field,
      type: known ? { kind: 'named', name: known.name, nullable: false } : { kind: 'string', nullable: false },
      required: true,
      docs: 'Says which variant it is',
      secret: false,
    }
    const fields = [selector, ...shared.filter((each) => each.name !== field)]
    const docs = `Variant holds all fields: ${listOf(variants, '*')}. It is nil if ${goName(field)} is unknown to this version of the SDK; see RawJSON.`
    return `${docsOf(type, name)}type ${name} struct {
${printFields(fields, false)}${goComment([docs], '\t')}	Variant ${name}Variant \`json:"-"\`

	raw json.RawMessage
}

// ${name}Variant is one of the variants of ${name}. Use a type switch.
type ${name}Variant interface{ is${name}() }

${markers(
  variants.map((each) => `*${goName(each)}`),
  name,
)}
// UnmarshalJSON reads the shared fields and the variant.
func (v *${name}) UnmarshalJSON(data []byte) error {
	type plain ${name}
	if err := unmarshalKeeping(data, (*plain)(v), &v.raw); err != nil {
		return err
	}
	switch v.${goName(field)} {
${cases.map(({ value, type: variant }) => `	case ${JSON.stringify(value)}:\n		v.Variant = new(${goName(variant)})\n`).join('')}	default:
		v.Variant = nil
		return nil
	}
	return json.Unmarshal(data, v.Variant)
}

// MarshalJSON writes the object as it was received, or else its variant.
func (v ${name}) MarshalJSON() ([]byte, error) { return marshalKept(v.raw, v.Variant) }

// RawJSON returns the object as the service sent it, with the fields that this version of the SDK does not know.
func (v *${name}) RawJSON() json.RawMessage { return v.raw }
`
  }

  return {
    use,
    fieldType,
    isWritten: (type) => !byHand.has(type.name) && !(type.kind === 'object' && type.pageOf !== undefined),
    print: (type) => {
      if (type.kind === 'enum') return printEnum(type)
      return type.kind === 'union' ? printUnion(type) : printObject(type)
    },
  }
}

const printEnum = (type: Named<EnumType>): string => {
  const name = goName(type.name)
  const rows = type.values.map((value) => ({
    docs: '',
    cells: [name + goName(value), name, `= ${JSON.stringify(value)}`] as const,
  }))
  const open = type.open ? 'New values can be added.' : ''
  return `${goComment([`${name}: ${[sentence(type.docs), open].filter(Boolean).join(' ') || `${type.values.length} values.`}`], '')}type ${name} string

// The values of ${name}.
const (
${aligned(rows)})
`
}

const keepsRaw = (name: string): string => `// UnmarshalJSON reads the object and keeps it for RawJSON.
func (v *${name}) UnmarshalJSON(data []byte) error {
	type plain ${name}
	return unmarshalKeeping(data, (*plain)(v), &v.raw)
}

// RawJSON returns the object as the service sent it, with the fields that this version of the SDK does not know.
func (v *${name}) RawJSON() json.RawMessage { return v.raw }
`

const sendsLiterals = (name: string, literals: readonly Field[]): string => {
  const cells = literals.map(({ name: field, type }) => ({
    docs: '',
    cells: [goName(field), typeof literalOf(type), `\`json:"${field}"\``] as const,
  }))
  return `// MarshalJSON adds ${literals.map((field) => `${field.name}`).join(', ')}.
func (v ${name}) MarshalJSON() ([]byte, error) {
	type plain ${name}
	return encodeJSON(struct {
${aligned([...cells, { docs: '', cells: ['plain', '', ''] as const }], '\t\t')}	}{${literals.map(({ type }) => JSON.stringify(literalOf(type))).join(', ')}, plain(v)})
}
`
}

/** The methods that make variants of a union, in columns. */
const markers = (variants: readonly string[], name: string): string => {
  const width = Math.max(...variants.map((each) => each.length))
  return variants.map((each) => `func (${each}) is${name}()${' '.repeat(width - each.length)} {}\n`).join('')
}

const literalOf = (type: TypeUse): string | number | boolean => (type.kind === 'literal' ? type.value : '')

type Row = { readonly docs: string; readonly cells: readonly [string, string, string] }

/** Rows in columns as gofmt writes them. A comment begins a new block. */
const aligned = (rows: readonly Row[], indent = '\t'): string => {
  const blocks: Row[][] = []
  for (const row of rows) {
    const block = blocks.at(-1)
    if (!block || row.docs !== '') blocks.push([row])
    else block.push(row)
  }
  return blocks
    .map((block) => {
      const [first = 0, second = 0] = [0, 1].map((n) =>
        Math.max(...block.filter(({ cells }) => cells[1] !== '').map(({ cells }) => cells[n]?.length ?? 0)),
      )
      return block
        .map(({ docs, cells: [name, type, rest] }) => {
          const line = `${name.padEnd(first)} ${type.padEnd(second)} ${rest}`.trimEnd()
          return `${goComment([docs], indent)}${indent}${line}\n`
        })
        .join('')
    })
    .join('')
}

const docsOf = (type: NamedType, name: string): string =>
  goComment([`${name}: ${sentence(type.docs) || 'an object of the API.'}`], '')

const listOf = (names: readonly string[], prefix = ''): string => names.map((each) => prefix + goName(each)).join(', ')

/** The fields that all variants have with the same type. */
const sharedFields = (variants: readonly (NamedType | undefined)[]): Field[] => {
  const objects = variants.flatMap((each) => (each?.kind === 'object' ? [each] : []))
  const [first, ...others] = objects
  if (!first || objects.length < variants.length) return []
  const isAlike = (field: Field, other: Field): boolean =>
    other.name === field.name && other.required === field.required && sameType(field.type, other.type)
  return first.fields.filter((field) => others.every(({ fields }) => fields.some((each) => isAlike(field, each))))
}

const sameType = (one: TypeUse, other: TypeUse): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Types whose JSON is kept: what a call returns, an item of a list, a frame, an event and its variants. */
const rawTypes = ({ resources, types, events }: ClientModel): ReadonlySet<string> => {
  const nameOf = (type: TypeUse): string[] => (type.kind === 'named' ? [type.name] : [])
  const answers = resources.flatMap(({ operations }) =>
    operations.flatMap(({ answer }) => {
      if (answer.kind === 'page') return nameOf(answer.item)
      return nameOf(answer.kind === 'stream' ? answer.frame : answer.type)
    }),
  )
  const variants = types.flatMap((type) => (type.kind === 'union' ? type.variants.flatMap(nameOf) : []))
  return new Set([...answers, ...variants, ...events.flatMap(({ data }) => nameOf(data))])
}
