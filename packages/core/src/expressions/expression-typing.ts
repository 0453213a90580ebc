import { expressionsBounds } from './bounds.ts'
import type { Expr } from './expression-node.ts'
import {
  areComparable,
  bool,
  double,
  dyn,
  functions,
  int,
  isA,
  isNumber,
  isOpen,
  joined,
  listOf,
  mapOf,
  none,
  string,
  type Type,
  typeNames,
  type Variables,
  wordOf,
} from './expression-type.ts'

export type Typing = {
  note(expr: Expr, message: string): void
  /** Null: the pattern of `matches` can be used. */
  patternProblem(pattern: string): string | null
  loopDepth: number
  variables: Variables
}

/** The type of the expression. Each fault is noted once, and what it stands in counts as any value. */
export const typeOf = (root: Expr, { note, patternProblem, loopDepth, variables }: Typing): Type => {
  type Scope = { variables: ReadonlyMap<string, Type>; depth: number }

  const fault = (expr: Expr, message: string): Type => {
    note(expr, message)
    return dyn
  }

  const visit = (expr: Expr, scope: Scope): Type => {
    const { exprKind } = expr
    switch (exprKind.case) {
      case 'constExpr':
        return constants[exprKind.value.constantKind.case ?? ''] ?? fault(expr, 'This kind of value is not supported')
      case 'identExpr': {
        const { name } = exprKind.value
        return scope.variables.get(name) ?? fault(expr, `There is no variable ${name}`)
      }
      case 'selectExpr': {
        const { operand, field, testOnly } = exprKind.value
        const type = operand ? fieldOf(expr, visit(operand, scope), field) : dyn
        return testOnly ? bool : type
      }
      case 'listExpr':
        return listOf(exprKind.value.elements.map((each) => visit(each, scope)).reduce(joined, none))
      case 'structExpr': {
        if (exprKind.value.messageName !== '') return fault(expr, `There is no type ${exprKind.value.messageName}`)
        const values = exprKind.value.entries.map(({ keyKind, value }) => {
          const key = keyKind.case === 'mapKey' ? visit(keyKind.value, scope) : dyn
          if (!isA(key, string)) fault(expr, `The key of a map must be a string, not ${wordOf(key)}`)
          return value ? visit(value, scope) : dyn
        })
        return mapOf(values.reduce(joined, none))
      }
      case 'comprehensionExpr':
        return loop(expr, exprKind.value, scope)
      case 'callExpr': {
        const { function: name, target, args } = exprKind.value
        const operator = operators.get(name)
        const types = [...(target ? [target] : []), ...args].map((each) => visit(each, scope))
        if (operator) return operator(expr, types, args)
        return call(expr, name, { types, isMethod: target !== undefined, args })
      }
      default:
        return fault(expr, 'The expression is incomplete')
    }
  }

  const fieldOf = (expr: Expr, type: Type, field: string): Type => {
    if (isOpen(type)) return dyn
    if (type.kind === 'map') return type.of
    if (type.kind !== 'object') return fault(expr, `${capital(wordOf(type))} has no field ${field}`)
    const known = Object.hasOwn(type.fields, field) ? type.fields[field] : undefined
    return known ?? fault(expr, `There is no field ${field}. Known: ${namesOf(type.fields)}`)
  }

  type Loop = Extract<Expr['exprKind'], { case: 'comprehensionExpr' }>['value']

  const loop = (expr: Expr, { iterVar, accuVar, ...parts }: Loop, { variables, depth }: Scope): Type => {
    if (depth === loopDepth) return fault(expr, `Loops may be nested at most ${loopDepth} deep`)
    const range = parts.iterRange ? visit(parts.iterRange, { variables, depth }) : dyn
    const item = itemOf(range)
    if (!item) return fault(expr, `A loop goes over a list or a map, not over ${wordOf(range)}`)
    const start = parts.accuInit ? visit(parts.accuInit, { variables, depth }) : dyn
    const inside = (accu: Type): Scope => ({
      variables: new Map([...variables, [accuVar, accu], [iterVar, item]]),
      depth: depth + 1,
    })
    const step = parts.loopStep ? visit(parts.loopStep, inside(start)) : dyn
    return parts.result ? visit(parts.result, inside(joined(start, step))) : dyn
  }

  type Call = { types: readonly Type[]; isMethod: boolean; args: readonly Expr[] }

  const call = (expr: Expr, name: string, { types, isMethod, args }: Call): Type => {
    const known = functions.get(name)
    if (!known || (known.isMethod !== isMethod && name !== 'size')) return fault(expr, `There is no function ${name}`)
    const found = known.signatures.filter(
      ({ takes }) => takes.length === types.length && types.every((type, at) => isA(type, takes[at] ?? dyn)),
    )
    if (found.length === 0) {
      return fault(expr, `${name} cannot be used with ${types.map(wordOf).join(', ') || 'nothing'}`)
    }
    if (name === 'matches') checkPattern(expr, args[0])
    return found[0]?.gives ?? dyn
  }

  // A pattern from the content would let its author choose what is costly.
  const checkPattern = (expr: Expr, pattern: Expr | undefined): void => {
    const constant = pattern?.exprKind.case === 'constExpr' ? pattern.exprKind.value.constantKind : undefined
    const problem =
      constant?.case === 'stringValue'
        ? patternProblem(constant.value)
        : 'The pattern of matches must be written in the expression'
    if (problem !== null) note(pattern ?? expr, problem)
  }

  type Operator = (expr: Expr, types: readonly Type[], args: readonly Expr[]) => Type

  const refuse = (expr: Expr, sign: string, types: readonly Type[]): Type =>
    fault(expr, `${sign} cannot be used with ${types.map(wordOf).join(' and ')}`)

  const all = (sign: string, wanted: Type, gives: Type): Operator => {
    return (expr, types) => (types.every((type) => isA(type, wanted)) ? gives : refuse(expr, sign, types))
  }
  const equality = (sign: string): Operator => {
    return (expr, types) => (areComparable(types[0] ?? dyn, types[1] ?? dyn) ? bool : refuse(expr, sign, types))
  }
  const order = (sign: string): Operator => {
    return (expr, types) =>
      [double, string].some((wanted) => types.every((type) => isA(type, wanted))) ? bool : refuse(expr, sign, types)
  }
  const arithmetic = (sign: string): Operator => {
    return (expr, types) => (types.every((type) => isA(type, double)) ? numberOf(types) : refuse(expr, sign, types))
  }
  const add: Operator = (expr, types) => {
    if (types.every((type) => isA(type, double))) return numberOf(types)
    if (types.every((type) => isA(type, string))) return string
    return types.every((type) => isA(type, listOf(dyn))) ? types.reduce(joined, none) : refuse(expr, '+', types)
  }
  const isIn: Operator = (expr, types) => {
    const [member = dyn, group = dyn] = types
    const item = itemOf(group)
    return item && areComparable(member, item) ? bool : refuse(expr, 'in', types)
  }
  const index: Operator = (expr, types, args) => {
    const [of = dyn, by = dyn] = types
    if (isOpen(of)) return dyn
    if (of.kind === 'list') return isA(by, int) ? of.of : fault(expr, 'The place in a list must be a whole number')
    if (of.kind !== 'map' && of.kind !== 'object') return fault(expr, `${capital(wordOf(of))} has no parts`)
    if (!isA(by, string)) return fault(expr, 'The name of a field must be a string')
    const constant = args[1]?.exprKind.case === 'constExpr' ? args[1].exprKind.value.constantKind : undefined
    return constant?.case === 'stringValue' ? fieldOf(expr, of, constant.value) : dyn
  }
  const choice: Operator = (expr, types) => {
    const [condition = dyn, yes = dyn, no = dyn] = types
    return isA(condition, bool) ? joined(yes, no) : refuse(expr, '?', [condition])
  }
  const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
    ['_&&_', all('&&', bool, bool)],
    ['_||_', all('||', bool, bool)],
    ['!_', all('!', bool, bool)],
    ['-_', arithmetic('-')],
    ['_==_', equality('==')],
    ['_!=_', equality('!=')],
    ['_<_', order('<')],
    ['_<=_', order('<=')],
    ['_>_', order('>')],
    ['_>=_', order('>=')],
    ['_+_', add],
    ['_-_', arithmetic('-')],
    ['_*_', arithmetic('*')],
    ['_/_', arithmetic('/')],
    ['_%_', arithmetic('%')],
    ['@in', isIn],
    ['_[_]', index],
    ['_?_:_', choice],
    ['@not_strictly_false', () => bool],
  ])

  return visit(root, { variables: new Map([...typeNames, ...Object.entries(variables)]), depth: 0 })
}

const constants: Readonly<Record<string, Type>> = {
  boolValue: bool,
  int64Value: int,
  doubleValue: double,
  stringValue: string,
  nullValue: { kind: 'null' },
}

/** What a loop over it yields. Undefined: it has no elements. */
const itemOf = (type: Type): Type | undefined => {
  if (isOpen(type)) return dyn
  if (type.kind === 'list') return type.of
  return type.kind === 'map' || type.kind === 'object' ? string : undefined
}

const numberOf = (types: readonly Type[]): Type => (types.every(isNumber) ? types.reduce(joined, none) : dyn)

const maxNames = expressionsBounds.namesTold.count

const namesOf = (fields: Variables): string => {
  const names = Object.keys(fields)
  return [...names.slice(0, maxNames), ...(names.length > maxNames ? ['…'] : [])].join(', ')
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
