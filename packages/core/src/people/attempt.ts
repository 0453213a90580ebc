import { limits } from '@ars/contract'
import { sha256 } from '@ars/platform/crypto'

/** Attempts of an address and of an account. Null: the count of the address alone was enough to reject. */
export type Count = {
  address_attempts: number
  account_attempts: number | null
  /** Time until the window ends. */
  address_wait_seconds: number
  account_wait_seconds: number | null
}

/** Neither addresses nor e-mail addresses are stored in clear text for this. */
export const accountSubject = (email: string): Buffer => sha256(`account ${email}`)
export const addressSubject = (network: string): Buffer => sha256(`address ${network}`)
/** A browser that has logged in to an account before, and a person in a live session: strangers do not use up their attempts. */
export const deviceSubject = (deviceHash: Buffer): Buffer => sha256(`device ${deviceHash.toString('hex')}`)
export const ownSubject = (userId: string): Buffer => sha256(`own ${userId}`)

export type AttemptVerdict =
  | { allowed: true }
  | {
      allowed: false
      retryAfterSeconds: number
      /** The first rejection of an account in its window: only this one is recorded, so that the log is not flooded. */
      isNews: boolean
    }

export const judgeAttempts = (count: Count): AttemptVerdict => {
  if (count.address_attempts > limits.loginsPerAddress) return refusal(count.address_wait_seconds, false)
  const { account_attempts: tries, account_wait_seconds: wait } = count
  if (tries === null || wait === null || tries <= limits.loginsPerAccount) return { allowed: true }
  return refusal(wait, tries === limits.loginsPerAccount + 1)
}

// The wait is rounded up to the whole second, so that a retry at that second is evaluated.
const refusal = (waitSeconds: number, isNews: boolean): AttemptVerdict => ({
  allowed: false,
  retryAfterSeconds: Math.max(1, Math.ceil(waitSeconds)),
  isNews,
})
