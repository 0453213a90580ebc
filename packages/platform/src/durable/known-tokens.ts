import { platformBounds } from '../bounds.ts'
import type { Clock } from '../clock.ts'

/** Tokens of the engine that were verified, each for one path and until it expires. */
export type KnownTokens = {
  has(path: string, token: string): boolean
  /** The token must have been verified: its time of expiry is believed. */
  add(path: string, token: string): void
}

// The engine makes a token for each path and second, which is valid for a minute or two.
const maxTokens = platformBounds.engineTokensKnown.count
// A token has about 300 bytes. A longer one is verified each time.
const maxTokenChars = platformBounds.engineTokenKnown.chars

/**
 * The engine makes the same token for all requests of one second to one path. Verifying it takes 0.4 ms of CPU, a third of what
 * a short run takes in the worker, so each token is verified once.
 */
export const createKnownTokens = (clock: Pick<Clock, 'now'>): KnownTokens => {
  const expiry = new Map<string, number>()
  return {
    has: (path, token) => {
      const untilMs = expiry.get(nameOf(path, token))
      return untilMs !== undefined && clock.now().getTime() < untilMs
    },
    add: (path, token) => {
      if (path.length + token.length > maxTokenChars) return
      const untilMs = expiryOf(token)
      if (untilMs === undefined) return
      const oldest = expiry.size < maxTokens ? undefined : expiry.keys().next().value
      if (oldest !== undefined) expiry.delete(oldest)
      expiry.set(nameOf(path, token), untilMs)
    },
  }
}

const nameOf = (path: string, token: string): string => `${path} ${token}`

const expiryOf = (token: string): number | undefined => {
  try {
    const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp?: unknown }
    return typeof exp === 'number' ? exp * 1000 : undefined
  } catch {
    return undefined
  }
}
