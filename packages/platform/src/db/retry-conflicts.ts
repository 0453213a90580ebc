import { setTimeout as sleep } from 'node:timers/promises'
import { platformBounds } from '../bounds.ts'
import { randomBytes } from '../crypto.ts'
import { DatabaseBusy, passingFailureOf } from './unavailable.ts'

const maxRetries = platformBounds.conflictRetries.count
const stepMs = 20

/**
 * Runs a transaction again after a deadlock or a serialization failure. Postgres rolled it back, so it had no effect.
 * The pause has jitter, so that two victims do not meet again.
 */
export const retryConflicts = async <Result>(transact: () => Promise<Result>): Promise<Result> => {
  for (let retries = 0; ; retries++) {
    try {
      return await transact()
    } catch (error) {
      const isConflict = error instanceof DatabaseBusy && passingFailureOf(error.cause) === 'conflict'
      if (!isConflict || retries === maxRetries) throw error
      await sleep(stepMs * (retries + randomBytes(1).readUInt8() / 256))
    }
  }
}
