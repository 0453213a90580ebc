import { contract, type Operation } from '@ars/contract'
import { idPrefixOf, type JsonSchema, resolved } from './sample.ts'

/** One row of the matrix: an operation of the contract with the facts that the cells need. */
export type Row = {
  readonly name: string
  readonly operation: Operation
  /** Path parameters that are ids: name → prefix. */
  readonly pathIds: Readonly<Record<string, string>>
  /** Required ids outside the path. */
  readonly neededIds: Readonly<Record<string, string>>
  /** Optional ids outside the path, one or a list. */
  readonly optionalIds: Readonly<Record<string, { prefix: string; isList: boolean }>>
  /** The input as JSON Schema, path parameters included. */
  readonly schema: JsonSchema
  readonly isWrite: boolean
  /** Access is decided by a scope, and not by `anyone` or `signed_in`. */
  readonly isScoped: boolean
  /** It needs a person in a browser session: keys and tokens are refused. */
  readonly needsPerson: boolean
  /** It creates something that outlives a short-lived token. */
  readonly refusesTokens: boolean
}

/** Every operation of the contract. A new one is a new row automatically. */
export const readRows = (): Row[] =>
  Object.entries(contract).flatMap(([resource, operations]) =>
    Object.entries<Operation>(operations).map(([name, operation]) => rowOf(`${resource}.${name}`, operation)),
  )

const rowOf = (name: string, operation: Operation): Row => {
  const schema = resolved(operation.input.toJSONSchema({ io: 'input', unrepresentable: 'any' }) as JsonSchema)
  const inPath = new Set([...operation.path.matchAll(/\{(\w+)\}/g)].map(([, field]) => field ?? ''))
  const fields = Object.entries(schema.properties ?? {}).map(([field, part]) => ({ field, ...idsIn(part) }))
  const isNeeded = (field: string): boolean => schema.required?.includes(field) ?? false
  const prefixes = (wanted: (field: string) => boolean) =>
    Object.fromEntries(fields.flatMap(({ field, prefix }) => (prefix && wanted(field) ? [[field, prefix]] : [])))
  return {
    name,
    // A copy: the rule must not change with a hole that a test plants into the contract.
    operation: { ...operation },
    schema,
    pathIds: prefixes((field) => inPath.has(field)),
    neededIds: prefixes((field) => !inPath.has(field) && isNeeded(field)),
    optionalIds: Object.fromEntries(
      fields.flatMap(({ field, prefix, isList }) =>
        prefix && !inPath.has(field) && !isNeeded(field) ? [[field, { prefix, isList }]] : [],
      ),
    ),
    isWrite: operation.method !== 'GET',
    isScoped: operation.scope !== 'anyone' && operation.scope !== 'signed_in',
    needsPerson: operation.session === 'required',
    refusesTokens: operation.lasting === true,
  }
}

/** A field may be an id, a list of ids, or one of these or null. */
const idsIn = (part: JsonSchema): { prefix: string | undefined; isList: boolean } => {
  const forms = (part.anyOf ?? part.oneOf ?? [part]).filter(({ type }) => type !== 'null')
  const [form = {}] = forms
  return { prefix: idPrefixOf(form.items ?? form), isList: form.items !== undefined }
}
