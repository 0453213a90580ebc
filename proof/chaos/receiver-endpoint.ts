import type { Plan } from './receiver-answer.ts'
import type { ReceivedLine } from './receiver-journal.ts'

/** One receiver of a customer, as a test speaks to it. */
export type Endpoint = {
  readonly url: string
  /** Requests that are open in this moment, and the most that ever were at once. */
  readonly openNow: number
  readonly mostOpen: number
  /** From now on it answers so. */
  answer(plan: Plan): void
  /** From now on it knows these secrets and no others. */
  know(secrets: readonly string[]): void
}

/** Its own side. */
export type OpenEndpoint = Endpoint & {
  readonly secrets: readonly string[]
  readonly lines: ReceivedLine[]
  come(): void
  go(): void
  next(eventId: string): ReturnType<Plan>
}

export const endpointAt = (url: string, first: { secrets: readonly string[]; plan: Plan }): OpenEndpoint => {
  let { secrets, plan } = first
  let [nth, openNow, mostOpen] = [0, 0, 0]
  const perEvent = new Map<string, number>()
  return {
    url,
    lines: [],
    get secrets() {
      return secrets
    },
    get openNow() {
      return openNow
    },
    get mostOpen() {
      return mostOpen
    },
    answer: (other) => {
      plan = other
    },
    know: (others) => {
      secrets = others
    },
    come: () => {
      openNow++
      mostOpen = Math.max(mostOpen, openNow)
    },
    go: () => {
      openNow--
    },
    next: (eventId) => {
      const nthOfEvent = (perEvent.get(eventId) ?? 0) + 1
      perEvent.set(eventId, nthOfEvent)
      return plan({ eventId, nth: ++nth, nthOfEvent })
    },
  }
}
