export type Params = Readonly<Record<string, unknown>>

/** A list is sent with commas, an object as `name[key]=value`, a date in ISO 8601. */
export const queryOf = (params: Params): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined || value === null) continue
    if (Array.isArray(value)) query.append(name, value.map(textOf).join(','))
    else if (typeof value === 'object' && !(value instanceof Date)) {
      for (const [key, each] of Object.entries(value)) query.append(`${name}[${key}]`, textOf(each))
    } else query.append(name, textOf(value))
  }
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

const textOf = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value))

export const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

export const pathOf = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? ''))

/** An empty id or a path segment such as `..` would call another operation. */
export const idOf = (name: string, value: unknown): string => {
  const id = typeof value === 'number' ? String(value) : value
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..') {
    throw new TypeError(`${name} must be a non-empty string`)
  }
  return id
}
