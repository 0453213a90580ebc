import type { Clock } from '@ars/platform/clock'
import { randomBytes } from '@ars/platform/crypto'
import { createIdMaker } from '@ars/platform/id'

/** Every request needs an id, so random bytes are fetched for hundreds of requests at once. */
export const createRequestIds = (clock: Clock): (() => string) => {
  let chance = randomBytes(0)
  let used = 0
  const newId = createIdMaker(clock, (bytes) => {
    if (used + bytes.length > chance.length) {
      chance = randomBytes(chanceBytes)
      used = 0
    }
    bytes.set(chance.subarray(used, used + bytes.length))
    used += bytes.length
  })
  return () => newId('req')
}

const chanceBytes = 8_192
