import { type Document, lowerBounds, resolve, type Schema, upperBounds } from './document.ts'
import { accepts, type Variant, variantsOf } from './variants.ts'

export type BreakKind =
  | 'address-changed'
  | 'operation-removed'
  | 'operation-renamed'
  | 'scope-changed'
  | 'security-changed'
  | 'status-new'
  | 'status-gone'
  | 'enum-narrowed'
  | 'default-changed'
  | 'input-removed'
  | 'input-required'
  | 'input-narrowed'
  | 'output-removed'
  | 'output-optional'
  | 'output-retyped'

/** Whether clients send or read the value. */
export type Direction = 'input' | 'output'

/** `path` leads to the field, from the named component if there is one on the way, else from where the comparison began. */
export type Finding = {
  readonly kind: BreakKind
  readonly component?: string
  readonly path: string
  readonly what: string
}

type Comparison = {
  readonly documents: { readonly before: Document; readonly after: Document }
  readonly direction: Direction
  /** Pairs that are being compared further up: meeting one again is a cycle. */
  readonly under?: readonly (readonly [Schema, Schema])[]
}

/**
 * For requests, `after` must accept everything that `before` accepted. For responses, it must return nothing that
 * `before` did not.
 */
export const compareSchemas = (comparison: Comparison, before: Schema, after: Schema): Finding[] => {
  const { documents, direction, under = [] } = comparison
  const was = resolve<Schema>(documents.before, before)
  const is = resolve<Schema>(documents.after, after)
  if (under.some(([one, other]) => one === was && other === is)) return []
  const deeper = { ...comparison, under: [...under, [was, is] as const] }
  const earlier = variantsOf(documents.before, before)
  const later = variantsOf(documents.after, after)
  const [given, taken] = direction === 'input' ? [earlier, later] : [later, earlier]
  const known = kindsOf(is.discriminator, earlier)
  const found = given.flatMap((each) => {
    if (direction === 'output' && isNewKind(is.discriminator, each, known)) return []
    const takers = taken.filter((other) => accepts(other, each))
    if (takers.length === 0) return [misfit(direction, each, { earlier, later })]
    const results = takers.map((other) => {
      const [one, two] = direction === 'input' ? [each, other] : [other, each]
      // Two forms of the same component are compared once, under its name.
      return one.$ref && one.$ref === two.$ref ? compareSchemas(deeper, one, two) : compareVariants(deeper, one, two)
    })
    // Of several matching forms, the best match is used.
    return results.sort((left, right) => left.length - right.length)[0] ?? []
  })
  const all = [...found, ...compareKinds(comparison, was, is), ...compareDefaults(direction, was, is)]
  const component = before.$ref === after.$ref ? before.$ref?.split('/').at(-1) : undefined
  return component ? all.map((finding) => ({ component, ...finding })) : all
}

/** A client may wait for a kind, as for a value of an enumeration. */
const compareKinds = ({ documents, direction }: Comparison, was: Schema, is: Schema): Finding[] => {
  if (direction === 'input' || !is.discriminator) return []
  const later = kindsOf(is.discriminator, variantsOf(documents.after, is))
  const gone = kindsOf(is.discriminator, variantsOf(documents.before, was)).filter(
    (kind) => kind !== undefined && !later.includes(kind),
  )
  return gone.length > 0 ? [{ kind: 'enum-narrowed', path: '', what: `no longer has the kind ${list(gone)}` }] : []
}

/** The kinds of a union that a field decides, such as the types of events. */
const kindsOf = (discriminator: Schema['discriminator'], variants: readonly Variant[]): unknown[] =>
  variants.map(({ schema }) => discriminator && schema.properties?.[discriminator.propertyName]?.const)

/** A response may have a new kind, as it may have a new value of an enumeration. */
const isNewKind = (discriminator: Schema['discriminator'], each: Variant, known: readonly unknown[]): boolean => {
  const [kind] = kindsOf(discriminator, [each])
  return kind !== undefined && known.every((other) => other !== undefined && other !== kind)
}

const misfit = (direction: Direction, { type }: Variant, sides: { earlier: Variant[]; later: Variant[] }): Finding => {
  const kind = direction === 'input' ? 'input-narrowed' : 'output-retyped'
  if (type === 'null')
    return { kind, path: '', what: direction === 'input' ? 'may no longer be null' : 'may now be null' }
  return { kind, path: '', what: `was ${typesOf(sides.earlier)} and is now ${typesOf(sides.later)}` }
}

const typesOf = (variants: readonly Variant[]): string => [...new Set(variants.map(({ type }) => type))].join(' or ')

const compareVariants = (comparison: Comparison, before: Variant, after: Variant): Finding[] => {
  // One of them accepts any value, and the direction was checked.
  if ((before.type === 'any') !== (after.type === 'any')) return []
  const [was, is] = [before.schema, after.schema]
  return [
    ...compareEnums(comparison.direction, was, is),
    ...compareForms(comparison.direction, was, is),
    ...(comparison.direction === 'input' ? compareBounds(was, is) : []),
    ...compareFields(comparison, was, is),
    ...compareParts(comparison, was, is),
  ]
}

const compareDefaults = (direction: Direction, was: Schema, is: Schema): Finding[] => {
  if (direction === 'output' || was.default === undefined || isSame(was.default, is.default)) return []
  const what = `had the default ${JSON.stringify(was.default)} and has now ${JSON.stringify(is.default) ?? 'none'}`
  return [{ kind: 'default-changed', path: '', what }]
}

const compareEnums = (direction: Direction, was: Schema, is: Schema): Finding[] => {
  const [earlier, later] = [was.enum, is.enum]
  if (!earlier && later && direction === 'input') {
    return [{ kind: 'enum-narrowed', path: '', what: `takes only ${list(later)} now` }]
  }
  if (earlier && !later && direction === 'output') {
    return [{ kind: 'output-retyped', path: '', what: `is no longer one of ${list(earlier)}` }]
  }
  const gone = earlier && later ? earlier.filter((value) => !later.some((other) => isSame(value, other))) : []
  return gone.length > 0 ? [{ kind: 'enum-narrowed', path: '', what: `no longer has the value ${list(gone)}` }] : []
}

/**
 * A pattern or a format is part of the type: requests must not have to match a new one, and responses must not drop
 * theirs.
 */
const compareForms = (direction: Direction, was: Schema, is: Schema): Finding[] =>
  (['pattern', 'format'] as const).flatMap((keyword): Finding[] => {
    const binding = direction === 'input' ? is[keyword] : was[keyword]
    if (binding === undefined || was[keyword] === is[keyword]) return []
    if (direction === 'input' && wordsIn(was.pattern)?.every((word) => wordsIn(is.pattern)?.includes(word))) return []
    const what = `had ${words(keyword, was[keyword])} and has now ${words(keyword, is[keyword])}`
    return [{ kind: direction === 'input' ? 'input-narrowed' : 'output-retyped', path: '', what }]
  })

/** The words of a query parameter that takes a list of them: `^(a|b)(,(a|b))*$`. */
const wordsIn = (pattern = ''): string[] | undefined => /^\^\(([^()]+)\)\(,\(\1\)\)\*\$$/.exec(pattern)?.[1]?.split('|')

const words = (keyword: string, value: string | undefined): string =>
  value === undefined ? `no ${keyword}` : `the ${keyword} ${value}`

const compareBounds = (was: Schema, is: Schema): Finding[] => {
  const tighter = [
    ...lowerBounds.filter((bound) => is[bound] !== undefined && is[bound] > (was[bound] ?? lowest(bound))),
    ...upperBounds.filter((bound) => is[bound] !== undefined && is[bound] < (was[bound] ?? Number.POSITIVE_INFINITY)),
    ...(['multipleOf', 'uniqueItems'] as const).filter((bound) => is[bound] && is[bound] !== was[bound]),
  ]
  return tighter.map((bound) => {
    const what = `had ${bound} ${was[bound] ?? 'unset'} and has now ${is[bound]}`
    return { kind: 'input-narrowed', path: '', what }
  })
}

/** A length is never below zero, so a new minimum of zero changes nothing. */
const lowest = (bound: (typeof lowerBounds)[number]): number =>
  bound === 'minimum' || bound === 'exclusiveMinimum' ? Number.NEGATIVE_INFINITY : 0

const compareFields = (comparison: Comparison, was: Schema, is: Schema): Finding[] => {
  const [earlier, later] = [was.properties ?? {}, is.properties ?? {}]
  const kept = Object.keys(earlier).filter((name) => later[name])
  return [
    ...(comparison.direction === 'input' ? compareTakenFields(was, is) : compareGivenFields(was, is)),
    ...kept.flatMap((name) => within(name, compareSchemas(comparison, earlier[name] ?? {}, later[name] ?? {}))),
  ]
}

const compareTakenFields = (was: Schema, is: Schema): Finding[] => {
  const [earlier, later] = [was.properties ?? {}, is.properties ?? {}]
  const required = (is.required ?? []).filter((name) => !was.required?.includes(name))
  const gone = Object.keys(earlier).filter((name) => !later[name] && is.additionalProperties === false)
  return [
    ...required.map((name): Finding => {
      return { kind: 'input-required', path: name, what: earlier[name] ? 'is now required' : 'is new and required' }
    }),
    ...gone.map((name): Finding => ({ kind: 'input-removed', path: name, what: 'is no longer taken' })),
  ]
}

const compareGivenFields = (was: Schema, is: Schema): Finding[] => {
  const later = is.properties ?? {}
  const gone = Object.keys(was.properties ?? {}).filter((name) => !later[name])
  const optional = (was.required ?? []).filter((name) => later[name] && !is.required?.includes(name))
  return [
    ...gone.map((name): Finding => ({ kind: 'output-removed', path: name, what: 'is gone' })),
    ...optional.map((name): Finding => ({ kind: 'output-optional', path: name, what: 'may now be missing' })),
  ]
}

/** Items of a list, values and names of a map, positions of a tuple. */
const compareParts = (comparison: Comparison, was: Schema, is: Schema): Finding[] => {
  const parts: (readonly [string, Schema | undefined, Schema | undefined])[] = [
    ['[]', was.items, is.items],
    ['{name}', was.propertyNames, is.propertyNames],
    ...(was.prefixItems ?? is.prefixItems ?? []).map(
      (_, n) => [`[${n}]`, was.prefixItems?.[n], is.prefixItems?.[n]] as const,
    ),
  ]
  return [
    ...parts.flatMap(([name, one, other]) =>
      one || other ? within(name, compareSchemas(comparison, one ?? {}, other ?? {})) : [],
    ),
    ...compareFurther(comparison, was.additionalProperties, is.additionalProperties),
  ]
}

type Further = boolean | Schema | undefined

const compareFurther = (comparison: Comparison, was: Further, is: Further): Finding[] => {
  if (is === false) {
    const isClosing = comparison.direction === 'input' && was !== false
    return isClosing ? [{ kind: 'input-narrowed', path: '', what: 'no longer takes fields of any other name' }] : []
  }
  // An object that becomes open accepts more; new fields in a response are harmless.
  if (was === false || (typeof was !== 'object' && typeof is !== 'object')) return []
  const [one, other] = [was, is].map((each) => (typeof each === 'object' ? each : {}))
  return within('*', compareSchemas(comparison, one ?? {}, other ?? {}))
}

const within = (name: string, findings: readonly Finding[]): Finding[] =>
  findings.map((finding) => {
    if (finding.component) return finding
    const joint = finding.path === '' || finding.path.startsWith('[') ? '' : '.'
    return { ...finding, path: `${name}${joint}${finding.path}` }
  })

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const list = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(', ')
