/** Ranges of lists. A relative range stays relative in the address, so that a link shows the same hours tomorrow. */
export const ranges = [
  ['', 'Any time'],
  ['-15m', 'Last 15 minutes'],
  ['-1h', 'Last hour'],
  ['-24h', 'Last 24 hours'],
  ['-7d', 'Last 7 days'],
] as const

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** The time for the request: `-24h` becomes a date, a date stays, anything else is dropped. */
export const absoluteTime = (text: string | undefined, nowMs = Date.now()): string | undefined => {
  const [, size, unit] = /^-(\d{1,4})([mhd])$/.exec(text ?? '') ?? []
  if (size && unit) return new Date(nowMs - Number(size) * units[unit as keyof typeof units]).toISOString()
  return text !== undefined && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : undefined
}
