/** A part of a text, from its first character to the one after its last. */
export type TextPart = { from: number; to: number }

/** `definition.steps[2].when` → `['definition', 'steps', '2', 'when']`. */
export const pathOfParam = (param: string): readonly string[] =>
  param
    .replaceAll(/\[(\w+)\]/g, '.$1')
    .split('.')
    .filter((part) => part !== '')

/**
 * Where a value stands in a JSON text. A path that ends outside of the text leads to the nearest value around it. With a
 * position, which counts UTF-16 code units of the string, the part begins there.
 */
export const jsonPlace = (text: string, path: readonly string[], position: number | null = null): TextPart => {
  let at = afterSpace(text, 0)
  for (const key of path) {
    const next = childAt(text, at, key)
    if (next === null) return { from: at, to: endOfValue(text, at) }
    at = next
  }
  const to = endOfValue(text, at)
  if (position === null || text[at] !== '"') return { from: at, to }
  return { from: Math.min(sourceOffset(text, at + 1, position), to - 1), to }
}

const afterSpace = (text: string, from: number): number => {
  let at = Math.min(from, text.length)
  while (at < text.length && ' \t\n\r'.includes(text[at] ?? '')) at += 1
  return at
}

/** The start of the value of a member or of an item; null if there is none. */
const childAt = (text: string, start: number, key: string): number | null => {
  const opening = text[start]
  if (opening !== '{' && opening !== '[') return null
  let at = afterSpace(text, start + 1)
  for (let n = 0; at < text.length && text[at] !== '}' && text[at] !== ']'; n += 1) {
    let name = String(n)
    if (opening === '{') {
      const end = endOfString(text, at)
      name = nameOf(text.slice(at, end))
      at = afterSpace(text, afterSpace(text, end) + 1)
    }
    if (name === key) return at
    const after = afterSpace(text, endOfValue(text, at))
    if (text[after] !== ',') return null
    at = afterSpace(text, after + 1)
  }
  return null
}

const nameOf = (quoted: string): string => {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted
  }
}

const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return Math.min(at + 1, text.length)
}

/** Without recursion, so that a deep text does not exhaust the stack. */
const endOfValue = (text: string, start: number): number => {
  const first = text[start]
  if (first === '"') return endOfString(text, start)
  if (first !== '{' && first !== '[') {
    let at = start
    while (at < text.length && !',]} \t\n\r'.includes(text[at] ?? '')) at += 1
    return at
  }
  let depth = 0
  let at = start
  while (at < text.length) {
    const each = text[at]
    if (each === '"') {
      at = endOfString(text, at)
      continue
    }
    if (each === '{' || each === '[') depth += 1
    if (each === '}' || each === ']') depth -= 1
    at += 1
    if (depth === 0) return at
  }
  return text.length
}

/** Where the code unit `units` of a string stands in its source, which may have escapes. */
const sourceOffset = (text: string, start: number, units: number): number => {
  let at = start
  for (let n = 0; n < units && at < text.length && text[at] !== '"'; n += 1) {
    if (text[at] !== '\\') at += 1
    else at += text[at + 1] === 'u' ? 6 : 2
  }
  return at
}

/** Line and column from 1, as the editor numbers them. */
export const lineAndColumn = (text: string, offset: number): { line: number; column: number } => {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return { line, column: offset - (before.lastIndexOf('\n') + 1) + 1 }
}
