import { NoAnswer, type Scripts, script } from '@ars/platform/redis/scripts'
import type { Bucket } from '../ctx.ts'
import { bucketArguments, bucketScript } from './bucket-script.ts'
import { unitsPerRequest } from './gcra.ts'

/** The buckets in Redis, which all gateways share. */
export type SharedBuckets = {
  /**
   * Requests of the same turn of the event loop are sent together. Rejects when Redis does not answer in time; if
   * Redis has counted the request after all, `onLate` is called.
   */
  take(bucket: Bucket, onLate?: () => void): Promise<SharedAnswer>
  charge(charges: readonly { bucket: Bucket; units: number }[]): Promise<void>
}

/** Whether there was room, and the used units now. */
export type SharedAnswer = { readonly allowed: boolean; readonly used: number }

/** Redis does nothing else while a script runs, so one call must stay below a few milliseconds. */
const maxBucketsPerCall = 200
const gcra = script(bucketScript)

type Asking = {
  bucket: Bucket
  resolve(answer: SharedAnswer): void
  reject(error: unknown): void
  onLate: (() => void) | undefined
}

/** `timeUs` is Redis's own clock unless a test sets it. */
export const createSharedBuckets = (scripts: Scripts, timeUs: () => string = () => ''): SharedBuckets => {
  let asking: Asking[] = []

  const send = (): void => {
    const all = asking
    asking = []
    for (const some of chunks(all)) void ask(some)
  }

  const ask = async (some: readonly Asking[]): Promise<void> => {
    try {
      const answers = await call(some.map(({ bucket }) => ({ bucket, units: 0 })))
      for (const [at, { resolve, bucket }] of some.entries()) resolve(answerAt(answers, at, bucket))
    } catch (error) {
      for (const { reject } of some) reject(error)
      if (!(error instanceof NoAnswer)) return
      const late = await error.late.catch(() => null)
      if (late) for (const [at, { onLate }] of some.entries()) if ((late as unknown[])[2 * at] === 1) onLate?.()
    }
  }

  const call = async (charges: readonly { bucket: Bucket; units: number }[]): Promise<readonly unknown[]> => {
    const keys = charges.map(({ bucket }) => `ars:bucket:${bucket.id}`)
    const values = charges.flatMap(({ bucket, units }) => bucketArguments(bucket, units))
    return (await scripts.run(gcra, keys, [timeUs(), ...values])) as unknown[]
  }

  return {
    take: (bucket, onLate) =>
      new Promise((resolve, reject) => {
        if (asking.push({ bucket, resolve, reject, onLate }) === 1) setImmediate(send)
      }),
    charge: async (charges) => {
      for (const some of chunks(charges)) await call(some)
    },
  }
}

/** Redis is not trusted: its answer is never more than a full bucket. */
const answerAt = (answers: readonly unknown[], at: number, { burst }: Bucket): SharedAnswer => {
  const used = Number(answers[2 * at + 1])
  if (Number.isNaN(used)) throw new Error('Redis answered no number')
  return { allowed: answers[2 * at] === 1, used: Math.min(Math.max(0, used), burst * unitsPerRequest) }
}

const chunks = <Item>(items: readonly Item[]): (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / maxBucketsPerCall) }, (_, at) =>
    items.slice(at * maxBucketsPerCall, (at + 1) * maxBucketsPerCall),
  )
