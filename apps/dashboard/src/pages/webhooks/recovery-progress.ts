import type { Recovery } from '@agent-run-service/sdk'

/** How much of the searched time and of the found events is done, from 0 to 1. The slower of both counts. */
export const recoveryShare = ({ status, since, until, progress }: Recovery): number => {
  if (status !== 'running') return 1
  const { found, delivered, failed, scanned_until } = progress
  const length = Date.parse(until) - Date.parse(since)
  const scanned = scanned_until === null || length <= 0 ? 0 : (Date.parse(scanned_until) - Date.parse(since)) / length
  const sent = found === 0 ? 1 : (delivered + failed) / found
  return Math.max(0, Math.min(1, scanned, sent))
}

/** `Delivered 3 of 5 events, 1 failed.` */
export const recoveryWords = ({ progress: { found, delivered, failed } }: Recovery): string => {
  if (found === 0) return 'No missed event was found so far.'
  const end = failed > 0 ? `, ${failed} failed.` : '.'
  return `Delivered ${delivered} of ${found} ${found === 1 ? 'event' : 'events'}${end}`
}
