import { limits } from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import type { Log } from '@ars/platform/log/log'
import { runsBounds } from '../bounds.ts'
import { runIdOf } from '../run/run.ts'
import { findWritten, storeDeltas } from './delta.store.ts'
import { maxDeltaChars, takeDelta } from './delta.ts'
import type { Feed } from './feed.service.ts'
import { encodeRunFrame } from './frame.ts'

/** The attempt that produces the output. */
export type DeltaTarget = { org: string; run: string; epoch: number; attempt: number; claimId: string; step: number }

export type DeltaStream = {
  /** Adds to the run's output. It never waits; text that no longer fits is dropped. */
  write(text: string): void
  /**
   * Resolves when all text is stored, so that the end of the step comes after it, or when it is no longer wanted.
   * Rejects when the database stays unavailable.
   */
  close(): Promise<void>
  /**
   * Closes it and returns the unsent text, to be stored with the end of the step. Null: some of it is in flight, or
   * it is too long for one delta; then wait for `close`.
   */
  takeRest(): string | null
  /** Whether any of it is stored. */
  hasStored(): boolean
}

/** The streamed output of all runs of a worker, batched: one statement and one commit per organisation and tick. */
export type DeltaService = {
  /** `onLost`: another worker took over, or the run is being cancelled. Later text is dropped. */
  open(target: DeltaTarget, onLost: () => void): DeltaStream
}

type Deps = { app: Database; feed: Feed; clock: Clock; log: Log }

const tickMs = 50
const runsPerStatement = runsBounds.deltaRunsTogether.count
// More than a run may output: a longer run ends as `output_too_large`, and its last text is not needed.
const maxBufferChars = limits.outputBytes
const retryMs = (tries: number): number => Math.min(100 * 2 ** tries, 2_000)
// While the database is unavailable text is kept; the end of a step waits for this many attempts.
const maxTriesAtClose = runsBounds.deltaTriesAtClose.count

type Open = DeltaTarget & {
  onLost: () => void
  /** The number of its last delta that is known to be stored. */
  seq: number | null
  /** Text that has not been split into deltas yet. */
  text: string
  /** The delta in flight, until it is known to be stored. */
  delta: string | null
  /** The delta was sent and its commit was not acknowledged. */
  inDoubt: boolean
  /** No more text is accepted. */
  isFull: boolean
  closing: { resolve(): void; reject(error: unknown): void; tries: number } | undefined
}

/** The streams of one organisation. `waiting` are those that have text to send. */
type Group = {
  org: string
  open: number
  waiting: Set<Open>
  underWay: boolean
  failures: number
  notBeforeMs: number
  timer: NodeJS.Timeout | undefined
}

export const createDeltas = (deps: Deps): DeltaService => {
  const groups = new Map<string, Group>()

  /** It has nothing to send, for now or for ever. */
  const settle = (group: Group, stream: Open): void => {
    group.waiting.delete(stream)
    stream.closing?.resolve()
  }

  const drop = (group: Group, stream: Open): void => {
    Object.assign(stream, { text: '', delta: null, isFull: true })
    group.waiting.delete(stream)
  }

  const lose = (group: Group, stream: Open): void => {
    drop(group, stream)
    stream.onLost()
    settle(group, stream)
  }

  const arrive = (group: Group, stream: Open, { seq, created_at }: { seq: number; created_at: Date }): void => {
    const { org, run, step, delta } = stream
    Object.assign(stream, { seq, delta: null, inDoubt: false })
    const frame = encodeRunFrame(runIdOf(run), { seq, type: 'run.output.delta', data: { step, delta }, created_at })
    deps.feed.tell(org, run, { seq, frames: [frame] })
    if (stream.text === '') settle(group, stream)
  }

  /**
   * A commit without acknowledgement may have happened. Only this attempt writes deltas of its run, one at a time, so
   * a delta after the last known one is the one in doubt. If there is none, it is sent again on the condition that
   * the feed has not moved, because the lost statement may still be queued.
   */
  const settleDoubt = async (group: Group, stream: Open): Promise<number | null> => {
    const { org, run, epoch, attempt, claimId, seq } = stream
    const written = await findWritten(deps.app, org, { run, epoch, attempt, claimId, after: seq })
    if (!written) lose(group, stream)
    else if (written.delta) arrive(group, stream, written.delta)
    return written?.head ?? null
  }

  const send = async (group: Group, batch: readonly Open[]): Promise<void> => {
    const heads = new Map<Open, number | null>()
    for (const stream of batch) if (stream.inDoubt) heads.set(stream, await settleDoubt(group, stream))
    const sent = batch.filter(({ delta }) => delta !== null)
    if (sent.length === 0) return
    for (const stream of sent) stream.inDoubt = true
    const stored = await storeDeltas(
      deps.app,
      group.org,
      sent.map((stream) => {
        const { run, epoch, attempt, claimId, step, delta } = stream
        return { run, epoch, attempt, claimId, seq: heads.get(stream) ?? null, data: { step, delta: delta ?? '' } }
      }),
    )
    for (const [at, stream] of sent.entries()) {
      const row = stored[at]
      if (row) arrive(group, stream, row)
      // A conditional delta is checked again: the feed may have moved in between.
      else if (!heads.has(stream)) lose(group, stream)
    }
  }

  /** One bad row must not fail the others: each is sent alone, and only the bad one fails. */
  const sendEach = async (group: Group, batch: readonly Open[]): Promise<void> => {
    try {
      await send(group, batch)
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error
      if (batch.length > 1) {
        for (const stream of batch) await sendEach(group, [stream])
        return
      }
      for (const stream of batch) {
        deps.log.error('output could not be stored', { run_id: stream.run, step: stream.step, error })
        drop(group, stream)
        stream.onLost()
        stream.closing?.reject(error)
      }
    }
  }

  const flush = async (group: Group): Promise<void> => {
    group.timer = undefined
    group.underWay = true
    group.notBeforeMs = deps.clock.monotonicMs() + tickMs
    try {
      await sendEach(group, takeBatch(group))
      group.failures = 0
    } catch (error) {
      group.notBeforeMs = deps.clock.monotonicMs() + retryMs(group.failures++)
      for (const stream of group.waiting) {
        if (!stream.closing || ++stream.closing.tries < maxTriesAtClose) continue
        drop(group, stream)
        stream.closing.reject(error)
      }
    }
    group.underWay = false
    wake(group)
  }

  /**
   * Sends waiting text: at once after a silence, at the end of a step or when there is much of it, otherwise at the
   * next tick.
   */
  const wake = (group: Group): void => {
    if (group.waiting.size === 0 && group.open === 0) groups.delete(group.org)
    if (group.underWay || group.waiting.size === 0) return
    clearTimeout(group.timer)
    const isUrgent = group.failures === 0 && [...group.waiting].some(hasMuch)
    const pauseMs = isUrgent ? 0 : Math.max(0, group.notBeforeMs - deps.clock.monotonicMs())
    group.timer = setTimeout(() => void flush(group), pauseMs)
  }

  return {
    open: (target, onLost) => {
      const stream: Open = {
        ...target,
        ...{ onLost, seq: null, text: '', delta: null, inDoubt: false, isFull: false, closing: undefined },
      }
      const group = groups.get(target.org) ?? newGroup(target.org)
      groups.set(target.org, group)
      group.open++
      let closed: Promise<void> | undefined
      return {
        write: (text) => {
          if (closed || stream.isFull || text === '') return
          stream.isFull = stream.text.length + text.length > maxBufferChars
          if (stream.isFull) return
          stream.text += text
          group.waiting.add(stream)
          if (group.timer === undefined || hasMuch(stream)) wake(group)
        },
        close: () => {
          closed ??= new Promise((resolve, reject) => {
            group.open--
            if (!group.waiting.has(stream)) resolve()
            else stream.closing = { resolve, reject, tries: 0 }
            wake(group)
          })
          return closed
        },
        takeRest: () => {
          if (closed || stream.delta !== null || stream.text.length > maxDeltaChars) return null
          const rest = stream.isFull ? '' : stream.text
          group.open--
          drop(group, stream)
          closed = Promise.resolve()
          wake(group)
          return rest
        },
        hasStored: () => stream.seq !== null,
      }
    },
  }
}

const newGroup = (org: string): Group => ({
  ...{ org, open: 0, waiting: new Set(), underWay: false, failures: 0 },
  notBeforeMs: Number.NEGATIVE_INFINITY,
  timer: undefined,
})

const hasMuch = ({ text, closing }: Open): boolean => closing !== undefined || text.length > maxDeltaChars

/** The next delta of each run that has one, in the order of the runs, and never two of one run. */
const takeBatch = (group: Group): Open[] => {
  const batch = new Map<string, Open>()
  for (const stream of group.waiting) {
    if (batch.size === runsPerStatement) break
    if (batch.has(stream.run)) continue
    if (stream.delta === null) {
      const { delta, rest } = takeDelta(stream.text, { more: stream.closing === undefined })
      if (delta === '') continue
      stream.delta = delta
      stream.text = rest
    }
    batch.set(stream.run, stream)
  }
  return [...batch.values()].sort((a, b) => (a.run < b.run ? -1 : 1))
}
