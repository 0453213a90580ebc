import { limits } from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import type { SecretService } from '../../secrets/index.ts'
import type { StepAttempt, StepContext } from '../../steps/index.ts'
import { storableText } from '../../storable.ts'
import type { DeltaService } from '../feed/delta.service.ts'
import type { Feed } from '../feed/feed.service.ts'
import { heldRecord } from '../run/guarded-run.ts'
import { findHeld } from './held.store.ts'
import type { Histories } from './histories.service.ts'
import { noteBackOff } from './segment.store.ts'
import type { ClaimedStep } from './step-row.ts'
import { finishToolCall, resetOutput, startToolCall } from './tool-call.store.ts'

/** Another worker took over: the step stops silently. */
export class Superseded extends Error {
  override readonly name = 'Superseded'
}

/** The text of a step: the rest that is stored with its end, and whether earlier text is in the feed already. */
export type Streamed = { rest: string; hasStored: boolean }

/** What a step leaves behind beside its result. */
export type StepByproducts = { streamed: Streamed; attempts: readonly StepAttempt[] }

export const noOutput: Streamed = { rest: '', hasStored: false }

type Deps = {
  app: Database
  secrets: Pick<SecretService, 'open'>
  feed: Feed
  deltas: DeltaService
  clock: Clock
  histories: Histories
}

/**
 * The context of one attempt of a step that was claimed at `claimedAt`, just now. `lost` is called when a write finds the
 * run taken over.
 */
export const openStepContext = (
  deps: Deps,
  at: ClaimedStep & { claimedAt: Date },
  lost: () => void,
): StepContext & { close(): Promise<StepByproducts> } => {
  const { org, run, epoch } = at.segment
  const claimedMs = deps.clock.monotonicMs()
  const attempts: StepAttempt[] = []
  let writer: ReturnType<DeltaService['open']> | undefined
  // While a reset is in flight, later text waits for it: the feed must contain both in this order.
  let resetting: Promise<void> | undefined
  let said = ''

  const write = (text: string): void => {
    writer ??= deps.deltas.open({ org, run, epoch, attempt: at.attempt, claimId: at.claimId, step: at.step }, lost)
    writer.write(text)
  }

  const tell = (row: { seq: number } | null): void => {
    if (!row) {
      lost()
      throw new Superseded('The run was taken over')
    }
    deps.feed.tell(org, run, { seq: row.seq })
  }

  const withdraw = async (): Promise<void> => {
    await writer?.close()
    writer = undefined
    tell(await resetOutput(deps.app, org, at))
  }

  return {
    history: () => deps.histories.read(org, run),
    delta: (text) => {
      if (resetting) said += text
      else write(text)
    },
    reset: () => {
      said = ''
      const mine: Promise<void> = (resetting ?? Promise.resolve())
        .then(withdraw)
        // The step learns about it through `lost`; nobody awaits this promise.
        .catch(() => lost())
        .then(() => {
          // Another reset arrived in the meantime: the text since then waits for that one.
          if (resetting !== mine) return
          resetting = undefined
          if (said !== '') write(said)
          said = ''
        })
      resetting = mine
      return mine
    },
    startCall: async (call) => tell(await startToolCall(deps.app, org, at, call)),
    finishCall: async (call) => tell(await finishToolCall(deps.app, org, at, call)),
    openHeld: async (action) => {
      const held = await findHeld(deps.app, org, { run, action })
      if (!held) throw new Error('The content that a policy held back is gone')
      return JSON.parse(await deps.secrets.open(org, held, heldRecord(run, action)))
    },
    failedTry: ({ startedMs, code, message }) => {
      const startedAt = new Date(at.claimedAt.getTime() + Math.max(0, startedMs - claimedMs))
      const error = { code, message: storableText(message.slice(0, limits.attemptMessageChars)) }
      attempts.push({ started_at: startedAt.toISOString(), error })
      if (attempts.length > limits.stepAttempts) attempts.shift()
    },
    backOff: ({ untilMs, message }) => {
      const note = { ...at, retryAt: new Date(untilMs), note: storableText(message) }
      noteBackOff(deps.app, org, note).catch(() => undefined)
    },
    close: async () => {
      while (resetting) await resetting
      if (!writer) return { streamed: noOutput, attempts }
      const rest = writer.takeRest()
      if (rest === null) await writer.close()
      return { streamed: { rest: rest ?? '', hasStored: writer.hasStored() }, attempts }
    },
  }
}
