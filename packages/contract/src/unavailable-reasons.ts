import { z } from 'zod'

/** Why the service answers 503, in words for callers. docs/runbooks/ArsRequestsFail.md says what an operator does about each. */
export const unavailableReasons = {
  shed: 'The service has more work than it can do in time, and refused the request before it did anything.',
  pool_busy: 'All connections to the database are in use.',
  blocked: 'Another transaction held a lock for too long. Nothing was written.',
  database_busy: 'The database did not finish the request in time.',
  database_away: 'The service cannot reach its database.',
  database_read_only: 'The database of the service accepts no writes at the moment.',
  disk_full: 'The disk of the database is full.',
  organisation_closed:
    'The organisation moves to another address of the service, or has moved. Send the request there.',
  key_service_away: 'The service cannot reach its key service.',
  contended: 'Other requests change the same thing, or use the same idempotency key.',
  check_unmade: 'A check of a policy could not be made, so the content was neither allowed nor forbidden.',
  credential_unchecked: 'The credential could not be checked again while the request was open.',
} as const satisfies Record<string, string>

export type UnavailableReason = keyof typeof unavailableReasons

const names = Object.keys(unavailableReasons) as [UnavailableReason, ...UnavailableReason[]]

export const UnavailableReasonName = z.enum(names).meta({
  id: 'UnavailableReason',
  description: 'Why the service cannot process the request. `/docs/errors` explains each. New reasons can be added.',
})
