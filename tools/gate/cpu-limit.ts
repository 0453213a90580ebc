/** What a fast test, and all tests of a fast file together, may cost, in units. Start and hooks are not counted. */
export const maxTestUnits = 100
export const maxFileUnits = 1_000
/** Above the limit a reporter warns. At this many times the limit the test fails. */
export const failsAt = 3

/**
 * The fixed computation that is one unit: about 10 ms of CPU on a slow core, so that a test has about a second. It does what
 * the service does: it makes text, parses it and looks values up.
 */
const computeUnit = (): number => {
  let found = 0
  for (let round = 0; round < 12; round++) {
    const rows = Array.from({ length: 800 }, (_, n) => ({
      id: `run_${n}`,
      at: n * 7,
      tags: ['a', 'b', String(n % 13)],
    }))
    const byId = new Map((JSON.parse(JSON.stringify(rows)) as typeof rows).map((row) => [row.id, row]))
    for (let n = 0; n < 1_600; n++) found += byId.get(`run_${n}`)?.at ?? 1
  }
  return found
}

/** CPU of this process for one unit, in milliseconds: the least of several, so that other work of the process does not count. */
export const measureUnitMs = (cpuMs: () => number): number => {
  const times = Array.from({ length: 5 }, () => {
    const from = cpuMs()
    computeUnit()
    return cpuMs() - from
  })
  return Math.max(0.1, Math.min(...times))
}

export type Judgement = 'fine' | 'warn' | 'fail'

export const judge = (units: number, maxUnits: number): Judgement => {
  if (units > maxUnits * failsAt) return 'fail'
  return units > maxUnits ? 'warn' : 'fine'
}

/** For a person: units as the seconds that they take on a slow core. */
export const inSeconds = (units: number): string => `${(units / maxTestUnits).toFixed(1)} s`
