import { RE2JS } from 're2js'

/** A pattern that is matched in a time proportional to the text, whatever the pattern is. */
export type LinearPattern = {
  test(text: string): boolean
  /** Answers the first match at or after a position of this text, in UTF-16 units. */
  finderIn(text: string): (from: number) => { start: number; end: number } | null
  /** Steps of the compiled program: the time grows with it. */
  size: number
}

/** The pattern cannot be matched in linear time, or is no pattern. The message is for its author. */
export class PatternProblem extends Error {
  override readonly name = 'PatternProblem'
}

/**
 * Compiles an ECMAScript pattern (flag `u`, as JSON Schema wants) for RE2. Look-around and back-references need
 * backtracking and do not exist there.
 */
export const compileLinear = (source: string, { ignoreCase = false } = {}): LinearPattern => {
  // The engine of the language only reads the pattern here: it reports faults as authors know them.
  try {
    new RegExp(source, 'u')
  } catch (error) {
    throw new PatternProblem(`is not a regular expression: ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    })
  }
  const foreign = /\(\?<?[=!]/.exec(withoutEscapes(source))?.[0]
  if (foreign) throw new PatternProblem(`uses look-around (${foreign}…), which is not supported`)
  if (/\\(?:[1-9]|k<)/.test(source.replaceAll('\\\\', '')))
    throw new PatternProblem('uses a back-reference, which is not supported')
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(toRe2(source)), ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    return {
      // It only asks whether, which the engine answers without looking where.
      test: (text) => compiled.test(text),
      finderIn: (text) => {
        const matcher = compiled.matcher(text)
        return (from) => (matcher.find(from) ? { start: matcher.start(), end: matcher.end() } : null)
      },
      size: compiled.programSize(),
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const words = error.message.replace('error parsing regexp: ', '').slice(0, 200)
    throw new PatternProblem(`is not supported: ${words}`, { cause: error })
  }
}

const withoutEscapes = (source: string): string => source.replaceAll(/\\./gs, '')

// What `\s` and `.` mean in ECMAScript; RE2 knows only their ASCII parts.
const spaces =
  '\\t\\n\\v\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
const noSpaces =
  '\\x00-\\x08\\x0e-\\x1f!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}'
const lineEnds = '\\n\\r\\x{2028}\\x{2029}'

const tokens = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\.|\[\^?|\]|\./gsu

const toRe2 = (source: string): string => {
  let isInClass = false
  return source.replaceAll(tokens, (token) => {
    switch (token) {
      case '\\s':
        return isInClass ? spaces : `[${spaces}]`
      case '\\S':
        return isInClass ? noSpaces : `[${noSpaces}]`
      case '.':
        return isInClass ? token : `[^${lineEnds}]`
      case ']':
        isInClass = false
        return token
      case '[':
      case '[^':
        // Within a class it is a character; RE2 would begin a class by name, such as [:alpha:].
        if (isInClass) return `\\${token}`
        isInClass = true
        return token
      default:
        return token.length === 12 ? `\\x{${pointOf(token).toString(16)}}` : token
    }
  })
}

/** Two escaped halves of one character. */
const pointOf = (token: string): number =>
  String.fromCharCode(Number.parseInt(token.slice(2, 6), 16), Number.parseInt(token.slice(8), 16)).codePointAt(0) ?? 0
