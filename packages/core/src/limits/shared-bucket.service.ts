import { NoAnswer, type Scripts, script } from '@ars/platform/redis/scripts'
import type { Bucket } from '../ctx.ts'
import { limitsBounds } from './bounds.ts'
import { bucketArguments, bucketScript } from './bucket-script.ts'
import { unitsPerRequest } from './gcra.ts'

/** The buckets in Redis, which all gateways share. */
export type SharedBuckets = {
  /**
   * Requests that come while a call is under way are sent together, and those of one bucket are one question. Rejects when
   * Redis does not answer in time; if Redis has counted the request after all, `onLate` is called.
   */
  take(bucket: Bucket, onLate?: () => void): Promise<SharedAnswer>
  charge(charges: readonly { bucket: Bucket; units: number }[]): Promise<void>
}

/** Whether there was room, and the used units now. */
export type SharedAnswer = { readonly allowed: boolean; readonly used: number }

/** Redis does nothing else while a script runs, so one call must stay below a few milliseconds. */
const maxBucketsPerCall = limitsBounds.bucketsTogether.count
/** The next call waits for the one before it, but not for longer than this: a slow answer must not delay others. */
const maxWaitMs = limitsBounds.answerAwaited.ms
const gcra = script(bucketScript)

type Caller = {
  resolve(answer: SharedAnswer): void
  reject(error: unknown): void
  onLate: (() => void) | undefined
}
/** The requests that ask for the same bucket, in the order in which they came. */
type Question = { bucket: Bucket; callers: Caller[] }

/** `timeUs` is Redis's own clock unless a test sets it. */
export const createSharedBuckets = (scripts: Scripts, timeUs: () => string = () => ''): SharedBuckets => {
  let questions = new Map<string, Question>()
  let isHeld = false

  /** Sends what has come, and holds back what comes next until Redis has answered. */
  const send = async (): Promise<void> => {
    const all = [...questions.values()]
    questions = new Map()
    isHeld = true
    let isOurs = true
    const goOn = (): void => {
      clearTimeout(timer)
      if (!isOurs) return
      isOurs = false
      isHeld = false
      if (questions.size > 0) void send()
    }
    const timer = setTimeout(goOn, maxWaitMs)
    await Promise.all(chunks(all).map((some) => ask(some)))
    goOn()
  }

  const ask = async (some: readonly Question[]): Promise<void> => {
    try {
      const answers = await call(some.map(({ bucket, callers }) => ({ bucket, asking: callers.length, units: 0 })))
      for (const [at, { bucket, callers }] of some.entries())
        answer(callers, passedAt(answers, at), usedAt(answers, at, bucket))
    } catch (error) {
      for (const { callers } of some) for (const { reject } of callers) reject(error)
      if (!(error instanceof NoAnswer)) return
      // Nobody waits for the late answer.
      void error.late.then(
        (late) => {
          for (const [at, { callers }] of some.entries())
            for (const { onLate } of callers.slice(0, passedAt(late as unknown[], at))) onLate?.()
        },
        () => undefined,
      )
    }
  }

  const call = async (
    charges: readonly { bucket: Bucket; asking: number; units: number }[],
  ): Promise<readonly unknown[]> => {
    const keys = charges.map(({ bucket }) => `ars:bucket:${bucket.id}`)
    const values = charges.flatMap(({ bucket, ...charge }) => bucketArguments(bucket, charge))
    return (await scripts.run(gcra, keys, [timeUs(), ...values])) as unknown[]
  }

  return {
    take: (bucket, onLate) =>
      new Promise((resolve, reject) => {
        const { id, requestsPerMinute, burst } = bucket
        const name = `${id} ${requestsPerMinute} ${burst}`
        const caller = { resolve, reject, onLate }
        const question = questions.get(name)
        if (question) return void question.callers.push(caller)
        questions.set(name, { bucket, callers: [caller] })
        if (questions.size === 1 && !isHeld) setImmediate(send)
      }),
    charge: async (charges) => {
      for (const some of chunks(charges)) await call(some.map((charge) => ({ ...charge, asking: 0 })))
    },
  }
}

/** Each caller gets the answer that it would have got alone: those that came first pass. */
const answer = (callers: readonly Caller[], passed: number, used: number): void => {
  for (const [at, { resolve }] of callers.entries()) {
    const allowed = at < passed
    resolve({ allowed, used: allowed ? Math.max(0, used - (passed - 1 - at) * unitsPerRequest) : used })
  }
}

const passedAt = (answers: readonly unknown[], at: number): number => Number(answers[2 * at])

/** Redis is not trusted: its answer is never more than a full bucket. */
const usedAt = (answers: readonly unknown[], at: number, { burst }: Bucket): number => {
  const used = Number(answers[2 * at + 1])
  if (Number.isNaN(used) || Number.isNaN(passedAt(answers, at))) throw new Error('Redis answered no number')
  return Math.min(Math.max(0, used), burst * unitsPerRequest)
}

const chunks = <Item>(items: readonly Item[]): (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / maxBucketsPerCall) }, (_, at) =>
    items.slice(at * maxBucketsPerCall, (at + 1) * maxBucketsPerCall),
  )
