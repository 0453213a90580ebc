import { expressionsBounds } from './bounds.ts'

/** A value of JSON. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [name: string]: JsonValue }

export const templateLimits = {
  /** Of one JSON value. */
  placeholders: expressionsBounds.placeholders.count,
  /** Of all values that are filled into one JSON value. */
  renderedChars: expressionsBounds.rendered.chars,
} as const

export type JsonPath = readonly (string | number)[]

/** The text between `${{` and `}}`. `offset` counts characters (UTF-16) from the start of the string at `path`. */
export type Placeholder = { path: JsonPath; offset: number; source: string }

export type TemplateProblem = { path: JsonPath; offset: number; message: string }

/** A JSON value with gaps. A number is the index of a placeholder. */
export type TemplateNode =
  | { kind: 'literal'; value: JsonValue }
  | { kind: 'value'; placeholder: number }
  | { kind: 'text'; parts: readonly (string | number)[] }
  | { kind: 'list'; items: readonly TemplateNode[] }
  | { kind: 'object'; fields: readonly (readonly [string, TemplateNode])[] }

export type JsonTemplate = {
  root: TemplateNode
  placeholders: readonly Placeholder[]
  problems: readonly TemplateProblem[]
}

/**
 * Finds the placeholders in the strings of a JSON value. Names of fields have none. `\${{` stands for the characters `${{`;
 * before `${{`, two backslashes stand for one. Nowhere else has a backslash a meaning.
 */
export const parseTemplate = (value: JsonValue): JsonTemplate => {
  const placeholders: Placeholder[] = []
  const problems: TemplateProblem[] = []

  const parse = (each: JsonValue, path: JsonPath): TemplateNode => {
    if (typeof each === 'string') return parseText(each, path)
    if (Array.isArray(each)) return { kind: 'list', items: each.map((item, at) => parse(item, [...path, at])) }
    if (typeof each !== 'object' || each === null) return { kind: 'literal', value: each }
    return {
      kind: 'object',
      fields: Object.entries(each).map(([name, field]) => [name, parse(field, [...path, name])] as const),
    }
  }

  const parseText = (text: string, path: JsonPath): TemplateNode => {
    const parts: (string | number)[] = []
    const addText = (more: string): void => {
      const last = parts.at(-1)
      if (typeof last === 'string') parts[parts.length - 1] = last + more
      else if (more !== '') parts.push(more)
    }
    let from = 0
    for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, from)) {
      const slashes = backslashesBefore(text, at, from)
      addText(text.slice(from, at - slashes) + '\\'.repeat(Math.floor(slashes / 2)))
      const start = at + opening.length
      if (slashes % 2 === 1) {
        addText(opening)
        from = start
        continue
      }
      const end = endOfSource(text, start)
      if (end === undefined) {
        problems.push({ path, offset: at, message: 'This placeholder has no }}. Write \\${{ for the characters ${{' })
        return { kind: 'literal', value: text }
      }
      const source = text.slice(start, end)
      const trimmed = source.trimStart()
      const offset = start + source.length - trimmed.length
      if (trimmed === '') problems.push({ path, offset: at, message: 'This placeholder is empty' })
      parts.push(placeholders.length)
      placeholders.push({ path, offset, source: trimmed.trimEnd() })
      from = end + closing.length
    }
    addText(text.slice(from))
    const [first] = parts
    if (typeof first === 'number' && parts.length === 1) return { kind: 'value', placeholder: first }
    if (parts.every((part) => typeof part === 'string')) return { kind: 'literal', value: parts.join('') }
    return { kind: 'text', parts }
  }

  const root = parse(value, [])
  const max = templateLimits.placeholders
  const beyond = placeholders[max]
  if (beyond) problems.push({ ...placeOf(beyond), message: `A value has at most ${max} placeholders` })
  return { root, placeholders, problems }
}

export type Rendered = { kind: 'rendered'; value: JsonValue } | { kind: 'too_large' }

/**
 * Fills the values of the placeholders in, in their order. A placeholder that is the whole string keeps the type of its value. Inside
 * text, strings stay as they are, null becomes empty text, and everything else becomes its JSON.
 */
export const renderTemplate = ({ root }: Pick<JsonTemplate, 'root'>, values: readonly JsonValue[]): Rendered => {
  let chars = 0
  const texts: (string | undefined)[] = []
  for (const value of values) {
    const text = placeholderText(value)
    texts.push(text)
    chars += text.length
    if (chars > templateLimits.renderedChars) return { kind: 'too_large' }
  }
  const render = (node: TemplateNode): JsonValue => {
    switch (node.kind) {
      case 'literal':
        return node.value
      case 'value':
        return values[node.placeholder] ?? null
      case 'text':
        return node.parts.map((part) => (typeof part === 'string' ? part : (texts[part] ?? ''))).join('')
      case 'list':
        return node.items.map(render)
      case 'object':
        return Object.fromEntries(node.fields.map(([name, field]) => [name, render(field)]))
    }
  }
  return { kind: 'rendered', value: render(root) }
}

/** The text as a template without placeholders: parsed and rendered, it is the same text again. */
export const escapeText = (text: string): string =>
  text.replace(/(\\*)\$\{\{/g, (_, slashes: string) => `${slashes}${slashes}\\${opening}`)

/** `when` and `for_each` are expressions. `${{ }}` around them is allowed, as in GitHub Actions. */
export const readExpressionText = (text: string): { source: string; offset: number } => {
  const [, before = '', inside] = /^(\s*\$\{\{\s*)([\s\S]*)\}\}\s*$/.exec(text) ?? []
  if (inside === undefined) return { source: text, offset: 0 }
  return { source: inside.trimEnd(), offset: before.length }
}

/** For rules, which import no other slice. */
export const expressionTexts = {
  parseTemplate,
  readExpressionText,
  maxPlaceholders: templateLimits.placeholders,
}

export type ExpressionTexts = typeof expressionTexts

const opening = '${{'
const closing = '}}'

const placeOf = ({ path, offset }: Placeholder): { path: JsonPath; offset: number } => ({ path, offset })

const backslashesBefore = (text: string, at: number, from: number): number => {
  let start = at
  while (start > from && text[start - 1] === '\\') start--
  return at - start
}

/** Where the `}}` begins that ends the expression: outside of its strings, and after its own braces are closed. */
const endOfSource = (text: string, start: number): number | undefined => {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (char === '"' || char === "'") at = endOfString(text, at)
    else if (char === '{') depth++
    else if (char === '}' && depth > 0) depth--
    else if (char === '}' && text[at + 1] === '}') return at
  }
  return
}

/** The position of the last quote of a string of CEL, or the end of the text. */
const endOfString = (text: string, start: number): number => {
  const char = text[start] as string
  const quote = text.startsWith(char.repeat(3), start) ? char.repeat(3) : char
  const isRaw = /[rR]/.test(text[start - 1] ?? '')
  for (let at = start + quote.length; at < text.length; at++) {
    if (text[at] === '\\' && !isRaw) at++
    else if (text.startsWith(quote, at)) return at + quote.length - 1
  }
  return text.length
}

/** What a value is inside of text. */
export const placeholderText = (value: JsonValue): string => {
  if (value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
