import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2'

/** Slow hashes for passwords, computed beside the event loop and one at a time. */
export type Passwords = {
  /** Argon2id in its own encoding, with a salt of its own. */
  hash(password: string): Promise<string>
  /** With null, for an account that does not exist, it takes as long and answers false. */
  verify(hash: string | null, password: string): Promise<boolean>
  /** False: whoever comes now would be turned away. */
  hasRoom(): boolean
  /** How many were computed since the process began, whatever came of them. */
  computed(): number
}

/** So many wait already that the next one had better come back later. */
export class PasswordLineFull extends Error {
  override readonly name = 'PasswordLineFull'
}

/** One hash fills a core and 19 MiB; behind it so many may stand in line, which is about a second's work. */
export const waitingMost = 32

// The OWASP recommendation for Argon2id, which is also the algorithm that the library takes unless told.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const

// A well-formed hash of the same cost that no password is known to have.
const nobodysHash = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`

export const createPasswords = (): Passwords => {
  const waiting: (() => void)[] = []
  let busy = false
  let computed = 0

  const inTurn = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (busy) {
      if (waiting.length >= waitingMost) throw new PasswordLineFull('Too many passwords wait to be looked at')
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
    busy = true
    computed += 1
    try {
      return await work()
    } finally {
      // The turn passes on without ever being free, so that nobody slips in between.
      const next = waiting.shift()
      if (next) next()
      else busy = false
    }
  }

  return {
    hash: (password) => inTurn(() => argon2Hash(Buffer.from(password), cost)),
    verify: (hash, password) =>
      inTurn(async () => {
        const fits = await argon2Verify(hash ?? nobodysHash, Buffer.from(password))
        return fits && hash !== null
      }),
    hasRoom: () => !busy || waiting.length < waitingMost,
    computed: () => computed,
  }
}
