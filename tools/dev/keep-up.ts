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

/** Starts again whatever ends on its own, as systemd would. Rejects when a part does not come back or does not stay. */
export const keepUp = (parts: readonly KeptPart[], watch: Watch): Promise<never> =>
  new Promise((_, reject) => {
    for (const part of parts) keepOneUp(part, watch, reject)
  })

const keepOneUp = (
  part: KeptPart,
  { stopRequest, say, nowMs = () => performance.now() }: Watch,
  fail: (error: unknown) => void,
): void => {
  let ends: number[] = []
  let isStarting = false

  const startAgain = async (words: string): Promise<void> => {
    const now = nowMs()
    ends = [...ends.filter((at) => now - at < withinMs), now]
    if (ends.length > maxEnds) throw new PartError(`${words}\nIt ended ${ends.length} times in a minute.`)
    say(`${words}\nStarting ${part.name} again.`)
    isStarting = true
    try {
      await part.start()
    } finally {
      isStarting = false
    }
    say(`${part.name} is up again after ${((nowMs() - now) / 1000).toFixed(1)} s.`)
  }

  part.onUnexpectedEnd((words) => {
    // The start itself rejects when its process ends.
    if (!isStarting && !stopRequest.aborted) startAgain(words).catch(fail)
  })
}
