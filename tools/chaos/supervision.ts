import { setTimeout as sleep } from 'node:timers/promises'
import type { Part } from '../dev/parts/part.ts'
import type { ManagedProcess } from '../dev/parts/process.ts'
import { waitFor } from './condition.ts'
import type { Random } from './random.ts'

export type SupervisedPart = Part & Pick<ManagedProcess, 'onUnexpectedEnd'>

/** A stretch in which a part was away, on the monotonic clock. */
export interface Outage {
  part: string
  cause: 'killed' | 'ended by itself' | 'frozen' | 'stopped' | 'cut off' | 'emptied'
  fromMs: number
  /** When it answered again. Undefined: it has not yet. */
  untilMs: number | undefined
  /** What is known of an end that nobody asked for. */
  words?: string
}

/** What systemd or a cluster does: whatever dies is started again after a short pause. */
export interface Supervision {
  readonly outages: readonly Outage[]
  /** kill -9. `lose` runs while the part is down, before its start: the loss of a disk, for example. */
  kill(name: string, options?: { lose?: () => Promise<void> }): Promise<void>
  /** Takes a part away in good order, or not; it stays away until the answer is called. */
  takeDown(name: string, how: 'stop' | 'kill'): Promise<() => Promise<void>>
  /** For what happens to a part without its end. */
  noteOutage(part: string, cause: Outage['cause'], words?: string): { end(): void }
  isUp(name: string): boolean
  /** Resolves when every part is up; rejects when one does not come back. */
  settle(): Promise<void>
  /** From now on what dies stays dead. */
  close(): void
}

const pauseMs = [100, 1500] as const
const startTriesMost = 5
const settleMostMs = 180_000

export function supervise(
  parts: readonly SupervisedPart[],
  random: Random,
  onFailure: (error: Error) => void = () => undefined,
): Supervision {
  const outages: Outage[] = []
  const down = new Set<string>()
  let failure: Error | undefined
  let isClosed = false

  const noteOutage: Supervision['noteOutage'] = (part, cause, words) => {
    const outage: Outage = { part, cause, fromMs: performance.now(), untilMs: undefined, ...(words && { words }) }
    outages.push(outage)
    return {
      end: () => {
        outage.untilMs = performance.now()
      },
    }
  }

  const startAgain = async (part: SupervisedPart, outage: { end(): void }): Promise<void> => {
    await sleep(random.whole(...pauseMs))
    for (let tries = 1; !isClosed; tries++) {
      try {
        await part.start()
        down.delete(part.name)
        return outage.end()
      } catch (error) {
        // A server that starts while its database is away may give up; it is started again, as anywhere else.
        if (tries >= startTriesMost) {
          failure ??= new Error(`${part.name} does not come back`, { cause: error })
          return onFailure(failure)
        }
        await sleep(random.whole(...pauseMs))
      }
    }
  }

  const getUp = (name: string): SupervisedPart => {
    const part = parts.find((each) => each.name === name)
    if (!part || down.has(name)) throw new Error(`${name} is not up, so it cannot be taken down`)
    return part
  }

  for (const part of parts) {
    part.onUnexpectedEnd((words) => {
      // One that ends while it starts is the business of whoever starts it.
      if (isClosed || down.has(part.name)) return
      down.add(part.name)
      void startAgain(part, noteOutage(part.name, 'ended by itself', words))
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
      await waitFor('all parts to be up', () => failure !== undefined || down.size === 0, { timeoutMs: settleMostMs })
      if (failure) throw failure
    },
    close: () => {
      isClosed = true
    },
  }
}
