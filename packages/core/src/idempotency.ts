import { Fault } from './fault.ts'

/** The request that holds an idempotency key: what came of it, and what it asked for. */
export type Twin = { subject_id: string; fingerprint: Buffer }

/** Refuses a key that was used for something else. */
export const requireSameRequest = (twin: Twin, fingerprint: Buffer): void => {
  if (twin.fingerprint.equals(fingerprint)) return
  throw new Fault('idempotency_key_reused', 'This Idempotency-Key was used for another request', {
    param: 'Idempotency-Key',
  })
}
