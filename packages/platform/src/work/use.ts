import { platformBounds } from '../bounds.ts'
import type { Clock } from '../clock.ts'

/** How much of a loop an organisation uses, and used lately. */
export type OrgUse = {
  readonly org: string
  readonly places: number
  /** Time in places. It halves every minute. */
  readonly usedMs: number
  /** Places that are kept for others are not for it. */
  readonly isHeavy: boolean
  /** It takes no place for a while. */
  readonly isResting: boolean
}

export type Use = {
  begin(org: string): void
  end(org: string): void
  rest(org: string, ms: number): void
  placesOf(org: string): number
  /** The organisations with the most use first. */
  list(): readonly OrgUse[]
}

const halfLifeMs = 60_000
/** A loop has some dozen places, so organisations with less use than the listed ones hardly differ. */
const maxListed = platformBounds.organisationsCompared.count
const forgottenMs = 1
/** From this use on, kept places stay free for others. */
const heavyMs = 1_000

export const createUse = (clock: Clock): Use => {
  const used = new Map<string, { places: number; ms: number; atMs: number; restUntilMs: number }>()

  /** Adds the time since the last look, for each place that the organisation holds. */
  const settled = (org: string) => {
    const nowMs = clock.monotonicMs()
    const { places, ms, atMs, restUntilMs } = used.get(org) ?? { places: 0, ms: 0, atMs: nowMs, restUntilMs: nowMs }
    const passedMs = nowMs - atMs
    const row = { places, ms: ms * 0.5 ** (passedMs / halfLifeMs) + places * passedMs, atMs: nowMs, restUntilMs }
    used.set(org, row)
    return row
  }

  return {
    begin: (org) => void settled(org).places++,
    end: (org) => void settled(org).places--,
    rest: (org, ms) => {
      settled(org).restUntilMs = clock.monotonicMs() + ms
    },
    placesOf: (org) => used.get(org)?.places ?? 0,
    list: () => {
      const rows: OrgUse[] = []
      for (const org of used.keys()) {
        const { places, ms, atMs, restUntilMs } = settled(org)
        const isResting = restUntilMs > atMs
        if (places === 0 && ms < forgottenMs && !isResting) used.delete(org)
        else rows.push({ org, places, usedMs: Math.round(ms), isHeavy: ms >= heavyMs, isResting })
      }
      return rows
        .toSorted((a, b) => Number(b.isResting) - Number(a.isResting) || b.places - a.places || b.usedMs - a.usedMs)
        .slice(0, maxListed)
    },
  }
}
