import { limits } from '@ars/contract'
import { sha256 } from '@ars/platform/crypto'

/** How often an address and an account have tried; null: the address alone was enough to refuse. */
export type Count = {
  address_attempts: number
  account_attempts: number | null
  /** Until the window ends. */
  address_wait_seconds: number
  account_wait_seconds: number | null
}

/** Neither addresses nor e-mails are kept in the clear for this. */
export const accountSubject = (email: string): Buffer => sha256(`account ${email}`)
export const addressSubject = (address: string): Buffer => sha256(`address ${address}`)

export type Verdict =
  | { allowed: true }
  | {
      allowed: false
      retryAfterSeconds: number
      /** The first refusal of an account in its window: once is told, the rest would only fill the log. */
      isNews: boolean
    }

export const judge = (count: Count): Verdict => {
  if (count.address_attempts > limits.loginsPerAddress) return refusal(count.address_wait_seconds, false)
  const { account_attempts: tries, account_wait_seconds: wait } = count
  if (tries === null || wait === null || tries <= limits.loginsPerAccount) return { allowed: true }
  return refusal(wait, tries === limits.loginsPerAccount + 1)
}

// At the whole second after the wait the window is over, so a try at that second is looked at.
const refusal = (waitSeconds: number, isNews: boolean): Verdict => ({
  allowed: false,
  retryAfterSeconds: Math.max(1, Math.ceil(waitSeconds)),
  isNews,
})
