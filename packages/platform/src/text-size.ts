/** Characters of all strings in a value, its keys included: about its size as JSON, without writing the JSON. */
export const textSize = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let size = 0
  for (const key in value) size += key.length + textSize((value as Record<string, unknown>)[key])
  return size
}
