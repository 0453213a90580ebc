/** The values that a script can use: the run's input, and people's decisions on its last request. */
export type ScriptFacts = {
  input: Readonly<Record<string, unknown>>
  decisions: readonly { decision: string; comment: unknown; payload: unknown }[]
}

/**
 * Fills `{{input.text}}` and similar placeholders, so that a script's reply follows the input. It supports paths
 * (`input.labels.0.name`), truncation (`{{input.text|200}}`) and lists (`{"$each": "input.fields", "$as": …}`, with
 * `{{item.name}}` inside). Filled text is not scanned again.
 */
export const createFill = (facts: ScriptFacts, mostChars: number) => {
  let chars = 0
  // Beyond the limit nothing more is filled in: a short script must not produce a huge reply from a long input.
  const isTooLong = (): boolean => chars > mostChars
  const count = (added: number): void => {
    chars += added
  }

  // A script can name one value many thousand times, and use a character of it each time.
  const written = new WeakMap<object, string>()
  const jsonOf = (found: unknown): string => {
    if (typeof found !== 'object' || found === null) return JSON.stringify(found)
    const json = written.get(found) ?? JSON.stringify(found)
    written.set(found, json)
    return json
  }

  const asText = (found: unknown, cut: string | undefined): string => {
    if (found === null) return ''
    const whole = typeof found === 'string' ? found : jsonOf(found)
    // A split character at the end is removed.
    return cut === undefined ? whole : whole.slice(0, Number(cut)).replace(/[\uD800-\uDBFF]$/, '')
  }

  const text = (template: string, item?: unknown): string => {
    if (!template.includes('{{')) return template
    return template.replace(placeholders, (_, path: string, cut?: string) => {
      if (isTooLong()) return ''
      const found = asText(valueAt(path, facts, item), cut)
      count(found.length)
      return found
    })
  }

  const value = (template: unknown, item?: unknown): unknown => {
    if (typeof template === 'string') {
      const whole = onePlaceholder.exec(template)
      if (!whole?.[1] || whole[2]) return text(template, item)
      const found = isTooLong() ? null : valueAt(whole[1], facts, item)
      count(jsonOf(found).length)
      return found
    }
    if (Array.isArray(template)) return template.map((one) => value(one, item))
    if (typeof template !== 'object' || template === null) return template
    if ('$each' in template && '$as' in template) return eachOf(template.$each, template.$as)
    return Object.fromEntries(Object.entries(template).map(([key, one]) => [key, value(one, item)]))
  }

  const eachOf = (path: unknown, template: unknown): unknown[] => {
    const list = valueAt(String(path), facts, undefined)
    if (!Array.isArray(list)) return []
    const made: unknown[] = []
    const templateChars = JSON.stringify(template).length
    for (const item of list) {
      count(templateChars)
      if (isTooLong()) break
      made.push(value(template, item))
    }
    return made
  }

  return { text, value, isTooLong }
}

const placeholder = String.raw`\{\{((?:input|decisions|item)(?:\.[\w-]+)*)(?:\|(\d{1,5}))?\}\}`
const placeholders = new RegExp(placeholder, 'g')
const onePlaceholder = new RegExp(`^${placeholder}$`)

/** Null: there is no such value. */
const valueAt = (path: string, facts: ScriptFacts, item: unknown): unknown => {
  let at: unknown = { ...facts, item }
  for (const name of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return null
    at = (at as Record<string, unknown>)[name]
  }
  return at ?? null
}
