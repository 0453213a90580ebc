/** Refusals of a run that pass without a change by anybody. Work that goes on after its request tries again; every other code is final. */
const passing: ReadonlySet<string> = new Set(['concurrency_exceeded', 'rate_limited', 'unavailable'])

export const isPassingRefusal = (code: string): boolean => passing.has(code)
