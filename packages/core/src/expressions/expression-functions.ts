import { rememberRecent } from '@ars/platform/recent'
import { type CelList, CelScalar, type CelValue, celEnv, celFunc, celList, celMethod, listType } from '@bufbuild/cel'
import { RE2JS } from 're2js'
import { expressionsBounds } from './bounds.ts'
import { expressionLimits } from './expression-check.ts'

const mark = 'expression: '

/** Why `gaveUp` was thrown, in words for the public. Null: the error is one of the library. */
export const ownReasonOf = (error: Error): string | null =>
  error.message.startsWith(mark) ? error.message.slice(mark.length) : null

// The library keeps the message of an error when it merges several, and nothing else.
export const gaveUp = (reason: string): Error => new Error(`${mark}${reason}`)

// One evaluation at a time, and none waits: the counts belong to the one that runs.
let spent = { elements: 0, chars: 0 }

export const beginEvaluation = (): void => {
  spent = { elements: 0, chars: 0 }
}

const spendElements = (elements: number): void => {
  if (elements > expressionLimits.elements) throw gaveUp(`a list has more than ${expressionLimits.elements} elements`)
  spent.elements += elements
  if (spent.elements > expressionLimits.elementsInAll)
    throw gaveUp(`its loops go over more than ${expressionLimits.elementsInAll} elements`)
}

const spendChars = (chars: number): void => {
  spent.chars += chars
  if (spent.chars > expressionLimits.textCharsInAll) throw gaveUp('it handles too much text')
}

const { BOOL, DOUBLE, DYN, INT, STRING } = CelScalar
const LIST = listType(DYN)

/** The arrays behind the lists of `map` and `filter`. Nothing else can name such a list before its loop has ended. */
const growing = new WeakMap<CelList, CelValue[]>()

const grow = (list: CelList, more: CelList): CelList => {
  growing.get(list)?.push(...more)
  return list
}

const begin = (): CelList => {
  const elements: CelValue[] = []
  const list = celList(elements)
  growing.set(list, elements)
  return list
}

const counted = (range: CelValue): CelValue => {
  if (typeof range === 'object' && range !== null && 'size' in range) spendElements(Number(range.size))
  return range
}

const joinLists = (left: CelList, right: CelList): CelList => {
  spendElements(left.size + right.size)
  return celList([...left, ...right])
}

const joinTexts = (left: string, right: string): string => {
  const chars = left.length + right.length
  if (chars > expressionLimits.textChars) throw gaveUp(`a text has more than ${expressionLimits.textChars} characters`)
  spendChars(chars)
  return left + right
}

/** Reading a number from a text takes longer than the text is long. */
const short = (text: string): string => {
  if (text.length > 100) throw gaveUp('a text is too long to be a number')
  return text
}

const wholeOf = (text: string): bigint => {
  const whole = BigInt(short(text))
  if (whole !== BigInt.asIntN(64, whole)) throw gaveUp('a number is too large')
  return whole
}

const numberOf = (text: string): number => {
  const number = Number(short(text))
  if (Number.isNaN(number)) throw gaveUp('a text is not a number')
  return number
}

type Arithmetic = (left: number, right: number) => number

/** Numbers of JSON are doubles, and `1` in an expression is an integer: CEL alone would not add them. */
const mixed = (operator: string, compute: Arithmetic) => [
  celFunc(operator, [INT, DOUBLE], DOUBLE, (left, right) => compute(Number(left), right)),
  celFunc(operator, [DOUBLE, INT], DOUBLE, (left, right) => compute(left, Number(right))),
]

const maxPatterns = expressionsBounds.patternsKnown.count

const patternOf = rememberRecent(maxPatterns, (source) => RE2JS.compile(source))

const measured = (text: string): string => {
  spendChars(text.length)
  return text
}

/** The functions of the library, with the bounds that it does not have. */
export const environment = celEnv({
  funcs: [
    celFunc('@counted', [DYN], DYN, counted),
    celFunc('@list', [], LIST, begin),
    celFunc('@append', [LIST, LIST], LIST, grow),
    celFunc('_+_', [LIST, LIST], LIST, joinLists),
    celFunc('_+_', [STRING, STRING], STRING, joinTexts),
    ...mixed('_+_', (left, right) => left + right),
    ...mixed('_-_', (left, right) => left - right),
    ...mixed('_*_', (left, right) => left * right),
    ...mixed('_/_', (left, right) => left / right),
    ...mixed('_%_', (left, right) => left % right),
    celFunc('_%_', [DOUBLE, DOUBLE], DOUBLE, (left, right) => left % right),
    celFunc('int', [STRING], INT, wholeOf),
    celFunc('double', [STRING], DOUBLE, numberOf),
    celMethod('contains', STRING, [STRING], BOOL, function (part) {
      return measured(this).includes(part)
    }),
    celMethod('lowerAscii', STRING, [], STRING, function () {
      return measured(this).replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
    }),
    celMethod('upperAscii', STRING, [], STRING, function () {
      return measured(this).replace(/[a-z]+/g, (letters) => letters.toUpperCase())
    }),
    celMethod('trim', STRING, [], STRING, function () {
      return measured(this).trim()
    }),
  ],
  re2: { compile: (source) => ({ test: (text) => patternOf(source).test(measured(text)) }) },
})
