/** The types of expressions. `none` is the element of an empty list: it fits everything. */
export type Type =
  | { kind: 'bool' | 'int' | 'double' | 'string' | 'null' | 'type' | 'dyn' | 'none' }
  | { kind: 'list' | 'map'; of: Type }
  | { kind: 'object'; fields: Readonly<Record<string, Type>> }

export const bool: Type = { kind: 'bool' }
export const int: Type = { kind: 'int' }
export const double: Type = { kind: 'double' }
export const string: Type = { kind: 'string' }
export const dyn: Type = { kind: 'dyn' }
export const none: Type = { kind: 'none' }
export const listOf = (of: Type): Type => ({ kind: 'list', of })
export const mapOf = (of: Type): Type => ({ kind: 'map', of })
const typeName: Type = { kind: 'type' }

/** The variables of an expression, each with its type. */
export type Variables = Readonly<Record<string, Type>>

/** The names of types, for `type(content.amount) == double`. Every expression knows them. */
export const typeNames: readonly (readonly [string, Type])[] = [
  'bool',
  'int',
  'double',
  'string',
  'list',
  'map',
  'null_type',
].map((name) => [name, typeName])

type Signature = { takes: readonly Type[]; gives: Type }

const texts = (count: number, gives: Type): Signature => ({ takes: Array.from({ length: count }, () => string), gives })
const sized: readonly Signature[] = [string, listOf(dyn), mapOf(dyn)].map((type) => ({ takes: [type], gives: int }))

type Callable = { signatures: readonly Signature[]; isMethod: boolean }

const method = (name: string, ...signatures: Signature[]): [string, Callable] => [name, { signatures, isMethod: true }]
const plain = (name: string, ...signatures: Signature[]): [string, Callable] => [name, { signatures, isMethod: false }]

/** What may be called. The first of `takes` is the target if `isMethod`. `size` is both. */
export const functions: ReadonlyMap<string, Callable> = new Map([
  ...['contains', 'startsWith', 'endsWith', 'matches'].map((name) => method(name, texts(2, bool))),
  ...['lowerAscii', 'upperAscii', 'trim'].map((name) => method(name, texts(1, string))),
  plain('int', ...[int, double, string].map((type) => ({ takes: [type], gives: int }))),
  plain('double', ...[int, double, string].map((type) => ({ takes: [type], gives: double }))),
  plain('bool', ...[bool, string].map((type) => ({ takes: [type], gives: bool }))),
  plain('string', ...[string, bool, int, double].map((type) => ({ takes: [type], gives: string }))),
  plain('type', { takes: [dyn], gives: typeName }),
  plain('dyn', { takes: [dyn], gives: dyn }),
  plain('size', ...sized),
])

export const isOpen = ({ kind }: Type): boolean => kind === 'dyn' || kind === 'none'

export const isNumber = ({ kind }: Type): boolean => kind === 'int' || kind === 'double'

/** Whether a value of this type can be what is wanted. Whole numbers and others mix, because JSON knows one kind of number. */
export const isA = (actual: Type, wanted: Type): boolean => {
  if (isOpen(actual) || isOpen(wanted) || (isNumber(actual) && isNumber(wanted))) return true
  if (actual.kind === 'object') return wanted.kind === 'map' || wanted.kind === 'object'
  if ('of' in actual && 'of' in wanted) return actual.kind === wanted.kind && isA(actual.of, wanted.of)
  return actual.kind === wanted.kind || (actual.kind === 'map' && wanted.kind === 'object')
}

/** Values that can be equal. A fact may be null, so null is compared with everything. */
export const areComparable = (left: Type, right: Type): boolean =>
  left.kind === 'null' || right.kind === 'null' || isA(left, right)

/** The type of a value that is one or the other. */
export const joined = (left: Type, right: Type): Type => {
  if (left.kind === 'none') return right
  if (right.kind === 'none') return left
  if (isNumber(left) && isNumber(right)) return left.kind === right.kind ? left : double
  if ('of' in left && 'of' in right && left.kind === right.kind)
    return { kind: left.kind, of: joined(left.of, right.of) }
  return left.kind === right.kind && left.kind !== 'object' ? left : dyn
}

/** For a message. */
export const wordOf = (type: Type): string => words[type.kind]

const words: Readonly<Record<Type['kind'], string>> = {
  bool: 'true or false',
  int: 'a whole number',
  double: 'a number',
  string: 'a string',
  null: 'null',
  type: 'a type',
  dyn: 'any value',
  none: 'any value',
  list: 'a list',
  map: 'a map',
  object: 'an object',
}
