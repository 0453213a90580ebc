import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Random } from '../lab/random.ts'

/** What an endpoint does with a request. */
export type Answer =
  /** `body` is what it says with it; a redirect names another place, where nobody may ever come. */
  | { kind: 'status'; status: number; afterMs?: number; body?: string }
  /** Takes the request and never says a word. */
  | { kind: 'hang' }
  /** Takes the request and breaks the connection off with RST. */
  | { kind: 'reset' }
  /** Says 200 at once and the rest of its answer a byte at a time, for ever. */
  | { kind: 'dribble'; everyMs: number }

/** Which answer a request gets. Both numbers begin at 1. */
export type Plan = (request: { eventId: string; nth: number; nthOfEvent: number }) => Answer

export const acknowledge: Answer = { kind: 'status', status: 200 }

/** Always the same. */
export const always =
  (answer: Answer): Plan =>
  () =>
    answer

/** Each request draws its answer; the remaining share is acknowledged. */
export const byChance =
  (random: Random, shares: readonly (readonly [share: number, answer: Answer])[]): Plan =>
  () => {
    let left = random.next()
    for (const [share, answer] of shares) {
      left -= share
      if (left < 0) return answer
    }
    return acknowledge
  }

/** The first requests for an event get these, one after the other, and the last of them is for all that follow. */
export const inTurn =
  (...answers: readonly [Answer, ...Answer[]]): Plan =>
  ({ nthOfEvent }) =>
    answers[Math.min(nthOfEvent, answers.length) - 1] ?? answers[0]

/** Answers as planned. Returns the status of a complete response; 0 if there was none. */
export const giveAnswer = async (
  answer: Answer,
  request: IncomingMessage,
  response: ServerResponse,
  { cameMs, reset }: { cameMs: number; reset: () => void },
): Promise<number> => {
  // The client may already be dead.
  if (response.destroyed) return 0
  const over = new Promise<boolean>((resolve) => {
    response.once('close', () => resolve(response.writableFinished))
  })
  switch (answer.kind) {
    case 'status': {
      const { status, afterMs = 0, body = '' } = answer
      // Measured from arrival, so the time already spent counts.
      if (afterMs > 0) await Promise.race([over, pause(cameMs + afterMs - performance.now())])
      if (response.destroyed) return 0
      const location = `https://${request.headers.host ?? ''}/elsewhere`
      response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...(isRedirect(status) && { location }) })
      response.end(body)
      return (await over) ? status : 0
    }
    case 'reset':
      reset()
      await over
      return 0
    case 'hang':
      await over
      return 0
    case 'dribble': {
      response.writeHead(200, { 'content-type': 'text/plain' })
      const timer = setInterval(() => response.write('.'), answer.everyMs)
      await over
      clearInterval(timer)
      return 0
    }
  }
}

export const inWords = (answer: Answer): string => (answer.kind === 'status' ? String(answer.status) : answer.kind)

const isRedirect = (status: number): boolean => status >= 300 && status < 400

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)).unref())
