import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Looks again until the probe answers something, and answers that. A probe that throws has not answered yet: the part
 * that it asks may be the one that was just killed.
 */
export const waitFor = async <Found>(
  what: string,
  probe: () => Promise<Found | undefined | false> | Found | undefined | false,
  { timeoutMs, everyMs = 100 }: { timeoutMs: number; everyMs?: number },
): Promise<Found> => {
  const deadline = performance.now() + timeoutMs
  let lastError: unknown
  while (true) {
    try {
      const found = await probe()
      if (found !== undefined && found !== false) return found
      lastError = undefined
    } catch (error) {
      lastError = error
    }
    if (performance.now() > deadline) {
      throw new Error(`timed out after ${Math.round(timeoutMs / 1000)} s waiting for ${what}`, { cause: lastError })
    }
    await sleep(everyMs)
  }
}
