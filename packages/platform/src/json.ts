import { isUtf8 } from 'node:buffer'
import { platformBounds } from './bounds.ts'
import { isKeptExactly } from './json-number.ts'

export type JsonLimits = {
  /** The maximum nesting depth of objects and lists. */
  depth: number
  /** The maximum number of keys of an object. */
  keys: number
}

/**
 * Like `JSON.parse` for untrusted input: every accepted value can be returned unchanged. Rejects input that
 * `JSON.parse` would silently change: invalid UTF-8, duplicate keys, numbers that a double cannot represent, characters
 * that the database cannot store, and deep nesting. The scanner validates and `JSON.parse` builds the value, because
 * the native builder is faster and its strings do not keep the whole text alive as slices would.
 * `onScanned` gets the number of values before they are built, and may throw: a megabyte of `{}` needs 20 in memory.
 */
export const parseStrictJson = (bytes: Buffer, limits: JsonLimits, onScanned?: (values: number) => void): unknown => {
  if (!isUtf8(bytes)) throw new JsonRefused('encoding', 'is not valid UTF-8', null)
  const text = bytes.toString('utf8')
  const scanner = new Scanner(text, limits)
  scanner.scanDocument()
  onScanned?.(scanner.values)
  return JSON.parse(text)
}

/** How `parseStrictJsonInTurns` shares the event loop. */
export type JsonTurns = {
  /** Characters that are parsed in one turn, or one member of a list. */
  chars: number
  /** The maximum of characters of a member of a list. */
  memberChars: number
  /** Lets other work of the process run. */
  pause(): Promise<unknown>
}

/**
 * The same for a large object, in turns: it pauses within the lists that are fields of the object. `onScanned` gets the number of values of
 * each turn. A document that is no object is refused.
 */
export const parseStrictJsonInTurns = async (
  bytes: Buffer,
  limits: JsonLimits & JsonTurns,
  onScanned?: (values: number) => void,
): Promise<Record<string, unknown>> => {
  if (!isUtf8(bytes)) throw new JsonRefused('encoding', 'is not valid UTF-8', null)
  const scanner = new Scanner(bytes.toString('utf8'), limits)
  const turns = scanner.parseInTurns(limits)
  for (let counted = 0; ; ) {
    const turn = turns.next()
    onScanned?.(scanner.values - counted)
    counted = scanner.values
    if (turn.done) return turn.value
    await limits.pause()
  }
}

/** The last two are well-formed JSON that cannot be stored exactly; the others are not accepted JSON. */
export type JsonRefusal =
  | 'encoding'
  | 'syntax'
  | 'depth'
  | 'keys'
  | 'size'
  | 'duplicate_key'
  | 'reserved_key'
  | Unkeepable
type Unkeepable = 'number' | 'character'

/** The message is the predicate of a sentence about the path: `input.query` + ` ` + message. */
export class JsonRefused extends Error {
  override readonly name = 'JsonRefused'
  readonly kind: JsonRefusal
  /** The path, such as `input.items.3`; null for the whole document. */
  readonly path: string | null

  constructor(kind: JsonRefusal, message: string, path: string | null) {
    super(message)
    this.kind = kind
    this.path = path
  }
}

const quote = 0x22
const comma = 0x2c
const minus = 0x2d
const point = 0x2e
const zero = 0x30
const nine = 0x39
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

// A double preserves every decimal number with at most this many digits and no exponent.
const digitsAlwaysKept = 15
/** With more keys, an object holds them in a set. */
const keysListed = 8
// The response names the rejected value, but does not echo a megabyte of it.
const maxQuotedChars = platformBounds.quotedValue.chars

class Scanner {
  values = 0
  private readonly text: string
  private readonly limits: JsonLimits
  private at = 0
  private depth = 0
  /** No value of the present member of a list may begin behind it. */
  private endBy = Number.POSITIVE_INFINITY
  /** The key or index at each depth. Entries beyond `depth` are stale. */
  private readonly path: (string | number)[] = []

  constructor(text: string, limits: JsonLimits) {
    this.text = text
    this.limits = limits
  }

  scanDocument(): void {
    this.begin()
    this.scanValue()
    this.end()
  }

  /** Yields where a turn ends. */
  *parseInTurns(turns: Pick<JsonTurns, 'chars' | 'memberChars'>): Generator<void, Record<string, unknown>> {
    this.begin()
    if (this.text.charCodeAt(this.at) !== openBrace) throw new JsonRefused('syntax', 'must be an object', null)
    const parsed: Record<string, unknown> = {}
    this.values++
    if (this.enter(closeBrace)) {
      const keys = new KeySet()
      do {
        const key = this.scanMember(keys)
        const isList = this.text.charCodeAt(this.at) === openBracket
        parsed[key] = isList ? yield* this.parseList(turns) : this.parseValue(turns)
      } while (this.hasMore(closeBrace))
    }
    this.end()
    return parsed
  }

  private *parseList(turns: Pick<JsonTurns, 'chars' | 'memberChars'>): Generator<void, unknown[]> {
    const parsed: unknown[] = []
    this.values++
    if (!this.enter(closeBracket)) return parsed
    let begun = this.at
    do {
      this.path[this.depth - 1] = parsed.length
      parsed.push(this.parseValue(turns))
      if (this.at - begun < turns.chars) continue
      yield
      begun = this.at
    } while (this.hasMore(closeBracket))
    return parsed
  }

  private parseValue({ memberChars }: Pick<JsonTurns, 'memberChars'>): unknown {
    const start = this.at
    const levels = this.depth
    this.endBy = start + memberChars
    this.scanValue()
    if (this.at > this.endBy) throw this.tooLong(levels)
    this.endBy = Number.POSITIVE_INFINITY
    return JSON.parse(this.text.slice(start, this.at))
  }

  private tooLong(levels: number): JsonRefused {
    return this.refusal('size', 'is too large', levels)
  }

  private begin(): void {
    if (this.text.charCodeAt(0) === 0xfeff) throw this.syntaxError('a byte order mark is not allowed')
    this.skipSpace()
    if (this.at === this.text.length) throw new JsonRefused('syntax', 'is empty', null)
  }

  private end(): void {
    this.skipSpace()
    if (this.at < this.text.length) throw this.syntaxError('unexpected text after the end of the document')
  }

  private scanValue(): void {
    this.values++
    if (this.at > this.endBy) throw this.tooLong(this.depth)
    const code = this.text.charCodeAt(this.at)
    if (code === quote) this.scanString()
    else if (code === openBrace) this.scanObject()
    else if (code === openBracket) this.scanArray()
    else if (code === minus || (code >= zero && code <= nine)) this.scanNumber()
    else if (code === 0x74) this.scanWord('true')
    else if (code === 0x66) this.scanWord('false')
    else if (code === 0x6e) this.scanWord('null')
    else throw this.syntaxError('expected a value')
  }

  private scanObject(): void {
    if (!this.enter(closeBrace)) return
    const keys = new KeySet()
    do {
      this.scanMember(keys)
      this.scanValue()
    } while (this.hasMore(closeBrace))
  }

  /** Scans up to the value of the next key. */
  private scanMember(keys: KeySet): string {
    const key = this.scanKey()
    if (!keys.add(key)) throw this.refusal('duplicate_key', 'must not be sent twice', this.depth)
    if (keys.size > this.limits.keys) {
      throw this.refusal('keys', `has more than ${this.limits.keys} keys`, this.depth - 1)
    }
    this.skipSpace()
    if (this.text.charCodeAt(this.at) !== colon) throw this.syntaxError('expected a colon after the key')
    this.at++
    this.skipSpace()
    return key
  }

  private scanArray(): void {
    if (!this.enter(closeBracket)) return
    let index = 0
    do {
      this.path[this.depth - 1] = index++
      this.scanValue()
    } while (this.hasMore(closeBracket))
  }

  /** Enters a level at its first item. False: it is empty. */
  private enter(close: number): boolean {
    if (this.depth === this.limits.depth) {
      throw new JsonRefused('depth', `is nested more than ${this.limits.depth} levels deep`, null)
    }
    this.at++
    this.skipSpace()
    if (this.text.charCodeAt(this.at) === close) {
      this.at++
      return false
    }
    this.depth++
    return true
  }

  /** Continues with the next item, or leaves the level. */
  private hasMore(close: number): boolean {
    this.skipSpace()
    const code = this.text.charCodeAt(this.at)
    if (code !== comma && code !== close) {
      throw this.syntaxError(`expected a comma or ${String.fromCharCode(close)}`)
    }
    this.at++
    if (code === close) {
      this.depth--
      return false
    }
    this.skipSpace()
    return true
  }

  /** Stores the key in the path for faults inside its value. */
  private scanKey(): string {
    const start = this.at
    if (this.text.charCodeAt(start) !== quote) throw this.syntaxError('expected a key in double quotes')
    this.path[this.depth - 1] = '(a key)'
    const hasEscapes = this.scanString()
    const key: string = hasEscapes
      ? JSON.parse(this.text.slice(start, this.at))
      : this.text.slice(start + 1, this.at - 1)
    this.path[this.depth - 1] = key
    // Depending on the code, copying an object with this key sets the prototype or drops the key.
    if (key === '__proto__') throw this.refusal('reserved_key', 'is not allowed as a key', this.depth)
    return key
  }

  /** Returns whether the string contains escapes. */
  private scanString(): boolean {
    const { text } = this
    let hasEscapes = false
    let at = this.at + 1
    for (;;) {
      const code = text.charCodeAt(at)
      if (code === quote) {
        this.at = at + 1
        return hasEscapes
      }
      if (code === backslash) {
        hasEscapes = true
        at = this.scanEscape(at)
      } else if (code >= 0x20) at++
      else {
        this.at = at
        throw this.syntaxError(at < text.length ? 'unescaped control character in a string' : 'unterminated string')
      }
    }
  }

  /** Returns the end of the escape that begins at `at`. */
  private scanEscape(at: number): number {
    const letter = this.text[at + 1]
    if (letter !== 'u') {
      if (letter !== undefined && '"\\/bfnrt'.includes(letter)) return at + 2
      throw this.escapeError(at)
    }
    const unit = this.hexAt(at + 2)
    if (unit === -1) throw this.escapeError(at)
    if (unit === 0) {
      throw this.refusal('character', 'contains the character U+0000, which cannot be stored', this.depth)
    }
    if (unit < 0xd800 || unit > 0xdfff) return at + 6
    const isFirstHalf = unit < 0xdc00
    if (isFirstHalf && this.text[at + 6] === '\\' && this.text[at + 7] === 'u') {
      const second = this.hexAt(at + 8)
      if (second >= 0xdc00 && second <= 0xdfff) return at + 12
    }
    const half = this.text.slice(at, at + 6)
    throw this.refusal('character', `contains ${half}, half of a surrogate pair, which is not a character`, this.depth)
  }

  /** The four hexadecimal digits from `at` on as a number, or -1. */
  private hexAt(at: number): number {
    let unit = 0
    for (let place = at; place < at + 4; place++) {
      const digit = hexDigit(this.text.charCodeAt(place))
      if (digit === -1) return -1
      unit = unit * 16 + digit
    }
    return unit
  }

  private scanNumber(): void {
    const start = this.at
    const isNegative = this.text.charCodeAt(start) === minus
    if (isNegative) this.at++
    const startsWithZero = this.text.charCodeAt(this.at) === zero
    if (startsWithZero) this.at++
    else this.scanDigits()
    if (this.text.charCodeAt(this.at) === point) {
      this.at++
      this.scanDigits()
    }
    const isPlain = (this.text.charCodeAt(this.at) | 0x20) !== 0x65
    if (!isPlain) {
      this.at++
      const sign = this.text[this.at]
      if (sign === '+' || sign === '-') this.at++
      this.scanDigits()
    }
    if (isPlain && this.at - start <= digitsAlwaysKept && !(isNegative && startsWithZero)) return
    const token = this.text.slice(start, this.at)
    if (isKeptExactly(token)) return
    const message = `is the number ${shorten(token)}, which cannot be stored exactly; send it as a string`
    throw this.refusal('number', message, this.depth)
  }

  private scanDigits(): void {
    const start = this.at
    let code = this.text.charCodeAt(this.at)
    while (code >= zero && code <= nine) code = this.text.charCodeAt(++this.at)
    if (this.at === start) throw this.syntaxError('expected a digit')
  }

  private scanWord(word: 'true' | 'false' | 'null'): void {
    if (!this.text.startsWith(word, this.at)) throw this.syntaxError('expected a value')
    this.at += word.length
  }

  private skipSpace(): void {
    let code = this.text.charCodeAt(this.at)
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = this.text.charCodeAt(++this.at)
  }

  private refusal(kind: JsonRefusal, message: string, levels: number): JsonRefused {
    const path = this.path.slice(0, levels).map((part) => shorten(String(part)))
    return new JsonRefused(kind, message, path.length === 0 ? null : path.join('.'))
  }

  private escapeError(at: number): JsonRefused {
    this.at = at
    return this.syntaxError('unknown escape in a string')
  }

  private syntaxError(found: string): JsonRefused {
    const lines = this.text.slice(0, this.at).split('\n')
    const column = (lines.at(-1)?.length ?? 0) + 1
    const place = this.at < this.text.length ? `line ${lines.length}, column ${column}` : 'the end'
    return new JsonRefused('syntax', `is not valid JSON: ${found} at ${place}`, null)
  }
}

/** Most objects have few keys; for those a linear search is faster than a set. */
class KeySet {
  size = 0
  private readonly listed: string[] = []
  private set: Set<string> | undefined

  /** Returns false if the key exists already. */
  add(key: string): boolean {
    if (this.set === undefined ? this.listed.includes(key) : this.set.has(key)) return false
    this.size++
    if (this.set !== undefined) this.set.add(key)
    else if (this.listed.push(key) === keysListed) this.set = new Set(this.listed)
    return true
  }
}

const hexDigit = (code: number): number => {
  if (code >= zero && code <= nine) return code - zero
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1
}

const shorten = (text: string): string => (text.length <= maxQuotedChars ? text : `${text.slice(0, maxQuotedChars)}…`)
