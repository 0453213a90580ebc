import { useSyncExternalStore } from 'react'

/** What the last responses say about the connection. The bars below the header show it. */
export type Connection = {
  offlineSinceMs: number | null
  /** 429 or 503: the time until which calls are refused. */
  limited: { kind: 'rate' | 'unavailable'; untilMs: number } | null
  /** Less than a fifth of the rate limit is left: polling pauses. */
  isScarce: boolean
  /** A call was answered 401: the session has ended. */
  isSignedOut: boolean
}

const quiet: Connection = { offlineSinceMs: null, limited: null, isScarce: false, isSignedOut: false }
let now = quiet
const listeners = new Set<() => void>()

const change = (part: Partial<Connection>): void => {
  const keys = Object.keys(part) as (keyof Connection)[]
  if (keys.every((key) => now[key] === part[key])) return
  now = { ...now, ...part }
  for (const listener of listeners) listener()
}

const refusals: Readonly<Record<number, 'rate' | 'unavailable'>> = { 429: 'rate', 503: 'unavailable' }

export const noteAnswer = (answer: Response): void => {
  const kind = refusals[answer.status]
  const waitS = Number(answer.headers.get('retry-after') ?? 1)
  change({
    offlineSinceMs: null,
    limited: kind && waitS > 0 ? { kind, untilMs: Date.now() + waitS * 1_000 } : null,
    isScarce: isScarce(answer.headers),
    ...(answer.status === 401 && !answer.url.includes('/api/auth/login') && { isSignedOut: true }),
  })
}

export const noteFailure = (): void => change({ offlineSinceMs: now.offlineSinceMs ?? Date.now() })

export const noteSignedIn = (): void => change({ isSignedOut: false })

/** Polls ask before they send. */
export const mayPoll = (): boolean =>
  document.visibilityState === 'visible' && now.offlineSinceMs === null && !now.isScarce && now.limited === null

const isScarce = (headers: Headers): boolean => {
  const limit = Number(headers.get('x-ratelimit-limit'))
  const remaining = headers.get('x-ratelimit-remaining')
  return limit > 0 && remaining !== null && Number(remaining) < limit / 5
}

export const useConnection = (): Connection =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => now,
  )
