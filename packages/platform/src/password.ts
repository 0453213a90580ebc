import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2'
import { platformBounds } from './bounds.ts'

/** Slow password hashes, computed outside the event loop, one at a time. */
export type Passwords = {
  /** Argon2id in its standard encoding, with a random salt. */
  hash(password: string): Promise<string>
  /**
   * Which of the hashes, at most `checksPerPassword`, belongs to the password; null: none. An empty hash fits no password. It takes equally long for any number
   * of hashes, so that nobody learns how many there are.
   */
  verify(hashes: readonly string[], password: string): Promise<number | null>
  /** False: the next call would be rejected. */
  hasRoom(): boolean
  /** The number of passwords checked or hashed since the process started. */
  computed(): number
}

/** The queue is full; the caller may retry later. */
export class PasswordLineFull extends Error {
  override readonly name = 'PasswordLineFull'
}

/** Hashes per checked password: an e-mail address may belong to two accounts, and the password decides which one is meant. */
export const checksPerPassword = 2

/** `memoryCost` in KiB. */
export type PasswordCost = { readonly memoryCost: number; readonly timeCost: number }

/** One hash uses a core and 19 MiB. The queue behind it holds about two seconds of work. */
const maxWaiting = platformBounds.passwordsWaiting.count

// The OWASP recommendation for Argon2id, which is the default algorithm of the library.
const standardCost = { memoryCost: 19_456, timeCost: 2 } as const

/** Tests have many passwords and set a lower cost. */
export const createPasswords = ({ memoryCost, timeCost }: PasswordCost = standardCost): Passwords => {
  const cost = { memoryCost, timeCost, parallelism: 1, outputLen: 32 }
  // A valid hash of the same cost without a known password.
  const nobodysHash = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`
  const waiting: (() => void)[] = []
  let busy = false
  let computed = 0

  const inTurn = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (busy) {
      if (waiting.length >= maxWaiting) throw new PasswordLineFull('Too many passwords are waiting to be checked')
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
    busy = true
    computed += 1
    try {
      return await work()
    } finally {
      // The slot passes directly to the next waiter, so that no other caller can take it.
      const next = waiting.shift()
      if (next) next()
      else busy = false
    }
  }

  return {
    hash: (password) => inTurn(() => argon2Hash(Buffer.from(password), cost)),
    verify: (hashes, password) =>
      inTurn(async () => {
        let fitting: number | null = null
        for (let at = 0; at < checksPerPassword; at++) {
          const hash = hashes[at]
          const fits = await argon2Verify(hash || nobodysHash, Buffer.from(password))
          if (fits && hash) fitting ??= at
        }
        return fitting
      }),
    hasRoom: () => !busy || waiting.length < maxWaiting,
    computed: () => computed,
  }
}
