import { type Part, PartError } from './parts/part.ts'
import type { ManagedProcess } from './parts/process.ts'

export type KeptPart = Part & Pick<ManagedProcess, 'onUnexpectedEnd'>

type Watch = {
  /** Aborted when all parts are to stop. */
  stopRequest: AbortSignal
  say: (words: string) => void
  nowMs?: () => number
}

const maxEnds = 5
const withinMs = 60_000

/**
 * Starts again whatever ends on its own, as systemd would. A start that fails is repeated when the other parts are up, because it
 * may need them. Rejects when a part does not come back or does not stay.
 */
export const keepUp = (parts: readonly KeptPart[], watch: Watch): Promise<never> =>
  new Promise((_, reject) => {
    const starts = new Set<Promise<void>>()
    for (const part of parts) keepOneUp(part, { ...watch, starts }, reject)
  })

const keepOneUp = (
  part: KeptPart,
  { stopRequest, say, nowMs = () => performance.now(), starts }: Watch & { starts: Set<Promise<void>> },
  fail: (error: unknown) => void,
): void => {
  let ends: number[] = []
  let isStarting = false

  const countEnd = (error: PartError): void => {
    const now = nowMs()
    ends = [...ends.filter((at) => now - at < withinMs), now]
    if (ends.length > maxEnds) throw error
  }

  const start = async (): Promise<void> => {
    const started = part.start()
    starts.add(started)
    try {
      return await started
    } catch (error) {
      if (stopRequest.aborted || !(error instanceof PartError)) throw error
      countEnd(error)
    } finally {
      starts.delete(started)
    }
    say(`${part.name} did not start. Trying again.`)
    await Promise.allSettled(starts)
    return start()
  }

  const startAgain = async (words: string): Promise<void> => {
    const begunMs = nowMs()
    countEnd(new PartError(`${words}\nIt ended ${maxEnds + 1} times in a minute.`))
    say(`${words}\nStarting ${part.name} again.`)
    isStarting = true
    try {
      await start()
    } finally {
      isStarting = false
    }
    say(`${part.name} is up again after ${((nowMs() - begunMs) / 1000).toFixed(1)} s.`)
  }

  part.onUnexpectedEnd((words) => {
    // The start itself rejects when its process ends.
    if (!isStarting && !stopRequest.aborted) startAgain(words).catch(fail)
  })
}
