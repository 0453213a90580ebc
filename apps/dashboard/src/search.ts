/** Readers of parameters in the address. A value that is missing or wrong is dropped, never shown as an error. */
export type SearchReader<Value> = (raw: unknown) => Value | undefined

export const text: SearchReader<string> = (raw) => {
  const value = typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : raw
  return typeof value === 'string' && value !== '' && value.length <= 2_000 ? value : undefined
}

export const integer: SearchReader<number> = (raw) => {
  const value = Number(raw)
  return raw !== '' && raw !== null && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

export const oneOf =
  <const Value extends string>(values: readonly Value[]): SearchReader<Value> =>
  (raw) => {
    // The router reads `true` and numbers as such.
    const given = text(raw)
    return values.find((value) => value === given)
  }

/** A list of known values, separated by commas. */
export const someOf =
  <const Value extends string>(values: readonly Value[]): SearchReader<string> =>
  (raw) => {
    const given = typeof raw === 'string' ? raw.split(',') : []
    return values.filter((value) => given.includes(value)).join(',') || undefined
  }

type Values<Readers extends Record<string, SearchReader<unknown>>> = {
  [Key in keyof Readers]?: NonNullable<ReturnType<Readers[Key]>>
}

/** A wrong value becomes undefined: the router keeps the raw value of a key that is missing here. */
export const searchOf =
  <Readers extends Record<string, SearchReader<unknown>>>(readers: Readers) =>
  (raw: Record<string, unknown>): Values<Readers> =>
    Object.fromEntries(
      Object.entries(readers)
        .map(([key, read]) => [key, read(raw[key])] as const)
        .filter(([key, value]) => value !== undefined || key in raw),
    ) as Values<Readers>

/** A path of this application to go to after the login. Never another origin. */
export const ownPath: SearchReader<string> = (raw) => {
  const path = text(raw)
  return path?.startsWith('/') && !path.startsWith('//') && !path.includes('\\') ? path : undefined
}

/** Leaves out what is undefined, so that the address has no empty parameters. */
export const defined = <Values extends object>(values: Values): { [Key in keyof Values]?: NonNullable<Values[Key]> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
