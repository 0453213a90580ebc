import { Fault } from './fault.ts'

/** The request that holds an idempotency key: its result and its fingerprint. */
export type IdempotentReplay = { subject_id: string; fingerprint: Buffer }

/** Rejects a key that was used for a different request. */
export const requireSameRequest = (replay: IdempotentReplay, fingerprint: Buffer): void => {
  if (replay.fingerprint.equals(fingerprint)) return
  throw new Fault('idempotency_key_reused', 'This Idempotency-Key was used for another request', {
    param: 'Idempotency-Key',
  })
}
