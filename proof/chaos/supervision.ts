import { setTimeout as sleep } from 'node:timers/promises'
import type { Part } from '@ars/tools/dev/parts/part'
import type { ManagedProcess } from '@ars/tools/dev/parts/process'
import { waitFor } from '../lab/condition.ts'
import type { Random } from '../lab/random.ts'

export type SupervisedPart = Part & Pick<ManagedProcess, 'onUnexpectedEnd'>

/** A stretch in which a part was away, on the monotonic clock. */
export type Outage = {
  part: string
  cause: 'killed' | 'exited' | 'frozen' | 'stopped' | 'cut off' | 'emptied' | 'cannot write'
  fromMs: number
  /** When it answered again. Undefined: it has not yet. */
  untilMs: number | undefined
  /** How often it died again before it was up. */
  failedStarts: number
  /** The facts about an unexpected exit. */
  words?: string
}

/** What systemd or a cluster does: whatever dies is started again after a short pause. */
export type Supervision = {
  readonly outages: readonly Outage[]
  /** kill -9. `lose` runs while the part is down, before its start: the loss of a disk, for example. */
  kill(name: string, options?: { lose?: () => Promise<void> }): Promise<void>
  /** Takes a part away in good order, or not; it stays away until the answer is called. */
  takeDown(name: string, how: 'stop' | 'kill'): Promise<() => Promise<void>>
  /** For what happens to a part without its end. */
  noteOutage(part: string, cause: Outage['cause'], words?: string): { failedStart(): void; end(): void }
  isUp(name: string): boolean
  /** Resolves when every part is up; rejects when one does not come back. */
  settle(): Promise<void>
  /** From now on what dies stays dead. */
  close(): void
}

const pauseMs = [100, 1500] as const
const maxStartTries = 5
const maxSettleMs = 180_000

export const supervise = (
  parts: readonly SupervisedPart[],
  random: Random,
  onFailure: (error: Error) => void = () => undefined,
): Supervision => {
  const outages: Outage[] = []
  const down = new Set<string>()
  let failure: Error | undefined
  let isClosed = false

  const noteOutage: Supervision['noteOutage'] = (part, cause, words) => {
    const outage: Outage = {
      part,
      cause,
      fromMs: performance.now(),
      untilMs: undefined,
      failedStarts: 0,
      ...(words && { words }),
    }
    outages.push(outage)
    return {
      failedStart: () => {
        outage.failedStarts++
      },
      end: () => {
        outage.untilMs = performance.now()
      },
    }
  }

  const startAgain = async (part: SupervisedPart, outage: ReturnType<Supervision['noteOutage']>): Promise<void> => {
    await sleep(random.whole(...pauseMs))
    for (let tries = 1; !isClosed; tries++) {
      try {
        await part.start()
        down.delete(part.name)
        return outage.end()
      } catch (error) {
        outage.failedStart()
        // A server that starts while its database is away may give up; it is started again, as anywhere else.
        if (tries >= maxStartTries) {
          failure ??= new Error(`${part.name} does not restart`, { cause: error })
          return onFailure(failure)
        }
        await sleep(random.whole(...pauseMs))
      }
    }
  }

  const getUp = (name: string): SupervisedPart => {
    const part = parts.find((each) => each.name === name)
    if (!part || down.has(name)) throw new Error(`${name} is not running and cannot be stopped`)
    return part
  }

  for (const part of parts) {
    part.onUnexpectedEnd((words) => {
      // The caller of start handles a process that ends while it starts.
      if (isClosed || down.has(part.name)) return
      down.add(part.name)
      void startAgain(part, noteOutage(part.name, 'exited', words))
    })
  }

  return {
    outages,
    noteOutage,
    isUp: (name) => !down.has(name),
    async kill(name, { lose } = {}) {
      const part = getUp(name)
      down.add(name)
      const outage = noteOutage(name, 'killed')
      await part.kill()
      await lose?.()
      void startAgain(part, outage)
    },
    async takeDown(name, how) {
      const part = getUp(name)
      down.add(name)
      const outage = noteOutage(name, how === 'stop' ? 'stopped' : 'killed')
      await (how === 'stop' ? part.stop() : part.kill())
      return async () => {
        await part.start()
        down.delete(name)
        outage.end()
      }
    },
    settle: async () => {
      await waitFor('all parts to be up', () => failure !== undefined || down.size === 0, { timeoutMs: maxSettleMs })
      if (failure) throw failure
    },
    close: () => {
      isClosed = true
    },
  }
}
