import type { Random } from '../lab/random.ts'

/** A small fault in one file: the text that stands there, and what stands there instead. */
export type Mutant = {
  readonly name: string
  readonly file: string
  readonly at: number
  readonly from: string
  readonly to: string
  /** The files of fast tests that must find it. A drawn fault names none. */
  readonly tests?: readonly string[]
}

type Operator = { readonly name: string; readonly within: RegExp; find(text: string): Omit<Mutant, 'name' | 'file'>[] }

const statements = /\.(store|sql)\.ts$/
const rules = /(?<!\.(?:store|sql|service|sweep|workflow|api|test|fixture))\.ts$/

const matches = (
  text: string,
  pattern: RegExp,
  change: (match: RegExpMatchArray) => string | undefined,
): Omit<Mutant, 'name' | 'file'>[] =>
  [...text.matchAll(pattern)].flatMap((match) => {
    const to = change(match)
    return to === undefined ? [] : [{ at: match.index, from: match[0], to }]
  })

const closed = (text: string): boolean => {
  let depth = 0
  for (const char of text) {
    if (char === '(') depth++
    if (char === ')' && --depth < 0) return false
  }
  return depth === 0 && !/\$\{[^}]*$/.test(text) && (text.match(/'/g) ?? []).length % 2 === 0
}

/**
 * The condition of the organisation is left alone: row-level security enforces it a second time, so nothing can notice.
 * A condition stays in the text, so that its parameters keep their types, and is always true.
 */
const isOfOrganisation = /\borg_id\b|\borg\b|isOfOrg|byOrg/

const operators: readonly Operator[] = [
  {
    name: 'a condition is dropped',
    within: statements,
    find: (text) =>
      matches(
        text,
        /(?<=\s)and ([^\n`]+?)(?=\s+(?:and|or|order by|for|limit|returning|group by|then|\)|on conflict)\b|\n|`)/g,
        ([whole, condition = '']) =>
          closed(condition) &&
          !isOfOrganisation.test(condition) &&
          /[=<>]|\bis\b|\bin\b|exists/.test(condition) &&
          !/between/.test(text.slice(Math.max(0, text.indexOf(whole) - 40), text.indexOf(whole)))
            ? `and ((${condition}) or true)`
            : undefined,
      ),
  },
  {
    name: 'a lock is dropped',
    within: statements,
    find: (text) =>
      matches(text, /\bfor (?:no key update|update|share)(?: of \w+(?:, \w+)*)?(?: skip locked| nowait)?\b/g, () => ''),
  },
  {
    name: 'a bound moves by one',
    within: rules,
    find: (text) =>
      matches(
        text,
        /(?<=[\w)\]] )(<=|>=|<|>)(?= [\w(-])/g,
        ([sign]) => ({ '<': '<=', '<=': '<', '>': '>=', '>=': '>' })[sign],
      ),
  },
  {
    name: 'half of a rule is dropped',
    within: rules,
    find: (text) => matches(text, /(?<=\()([!\w.]+(?:\([\w.]*\))?) && (?=[!\w])/g, () => ''),
  },
]

/** Comments and types of a file hold no faults. */
const isCode = (text: string, at: number): boolean => {
  const line = text.slice(text.lastIndexOf('\n', at) + 1, text.indexOf('\n', at))
  return !/^\s*(\/\/|\*|\/\*\*|--|import |export type |type )/.test(line)
}

export const mutantsOf = (file: string, text: string): Mutant[] =>
  operators
    .filter(({ within }) => within.test(file))
    .flatMap(({ name, find }) =>
      find(text)
        .filter(({ at }) => isCode(text, at))
        .map((mutant) => ({ ...mutant, name, file })),
    )

/**
 * At most one mutant in each file, so that the draw covers many of them. `except`: texts in which no fault is planted; the one after it
 * in the file takes its place, so that the rest of the draw stays the same.
 */
export const draw = (
  files: ReadonlyMap<string, string>,
  count: number,
  random: Random,
  except: readonly Pick<Mutant, 'file' | 'at' | 'from'>[] = [],
): Mutant[] => {
  const isWithin = (mutant: Mutant) => (text: (typeof except)[number]) =>
    text.file === mutant.file && mutant.at >= text.at && mutant.at < text.at + text.from.length
  const left = [...files].map(([file, text]) => mutantsOf(file, text)).filter(({ length }) => length > 0)
  const drawn: Mutant[] = []
  while (drawn.length < count && left.length > 0) {
    const [ofFile = []] = left.splice(random.whole(0, left.length - 1), 1)
    const first = random.whole(0, ofFile.length - 1)
    const mutant = [...ofFile.slice(first), ...ofFile.slice(0, first)].find((each) => !except.some(isWithin(each)))
    if (mutant) drawn.push(mutant)
  }
  return drawn
}

export const planted = (text: string, { at, from, to }: Mutant): string => {
  if (!text.startsWith(from, at)) throw new Error(`The text of the mutant is not there: ${from}`)
  return text.slice(0, at) + to + text.slice(at + from.length)
}
