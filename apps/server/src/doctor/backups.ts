import type { Parts } from '@ars/core'
import { readBackupState } from '@ars/platform/db/server-health'
import { serverBounds } from '../bounds.ts'
import { describe, type Finding, skipped } from './finding.ts'

const base = 'base back-up'
const archive = 'back-up archive'
const maxBaseMs = serverBounds.baseAge.ms
const maxArchiveMs = serverBounds.archiveAge.ms

/** The alerts ArsBackupOld and ArsArchiveOld judge the same. */
export const checkBackups = async ({ system, config, clock }: Parts): Promise<Finding[]> => {
  try {
    const state = await readBackupState(system)
    if (state === null && config.backups === 'elsewhere')
      return [{ what: base, found: 'made elsewhere (ARS_BACKUPS), so that it is not seen here' }]
    const now = clock.now()
    return [
      judge({ what: base, at: state?.baseEndedAt, maxMs: maxBaseMs, now, page: 'ArsBackupOld' }),
      judge({ what: archive, at: state?.archivedUntil, maxMs: maxArchiveMs, now, page: 'ArsArchiveOld' }),
    ]
  } catch (error) {
    return [base, archive].map((what) => skipped(what, `not checked: ${describe(error)}`))
  }
}

type Judged = { what: string; at: Date | null | undefined; maxMs: number; now: Date; page: string }

const judge = ({ what, at, maxMs, now, page }: Judged): Finding => {
  const advice = `Look at the service that runs \`ars-server backup … --follow\`: its log says why. See docs/runbooks/${page}.md.`
  if (!at) return { what, found: 'none of this database', advice }
  const ageMs = Math.max(0, now.getTime() - at.getTime())
  const found = what === base ? `ended ${ageOf(ageMs)} ago` : `complete until ${ageOf(ageMs)} ago`
  return ageMs > maxMs ? { what, found, advice } : { what, found }
}

const ageOf = (ms: number): string => {
  const minutes = ms / 60_000
  if (minutes < 2) return `${Math.round(ms / 1_000)} seconds`
  return minutes < 120 ? `${Math.round(minutes)} minutes` : `${Math.round(minutes / 60)} hours`
}
