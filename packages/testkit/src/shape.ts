/**
 * The fields of a JSON value by path, each with its kind: `null`, `boolean`, `number`, `date`, `id`, `text`, `list`,
 * `object`. Items of a list share a path. Values of `open` fields belong to customers, so their fields are left out.
 */
export const shapeOf = (value: unknown, open: readonly string[] = []): Record<string, string> =>
  Object.fromEntries([...fieldsOf(value, { path: '', open })].toSorted(([a], [b]) => (a < b ? -1 : 1)))

type Place = { path: string; open: readonly string[] }

const fieldsOf = (value: unknown, place: Place): Map<string, string> => {
  const fields = new Map([[place.path, kindOf(value)]])
  const add = (more: ReadonlyMap<string, string>): void => {
    for (const [path, kind] of more) fields.set(path, kind)
  }
  if (Array.isArray(value)) for (const item of value) add(fieldsOf(item, { ...place, path: `${place.path}[]` }))
  else if (typeof value === 'object' && value !== null) {
    for (const [name, each] of Object.entries(value)) {
      const path = place.path === '' ? name : `${place.path}.${name}`
      add(place.open.includes(path) ? new Map([[path, kindOf(each)]]) : fieldsOf(each, { ...place, path }))
    }
  }
  return fields
}

const kindOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (typeof value !== 'string') return typeof value
  if (/^[a-z]{2,3}_[0-9a-z]{26}$/.test(value)) return 'id'
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? 'date' : 'text'
}
