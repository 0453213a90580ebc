import type { Clock } from '@ars/platform/clock'

/**
 * The minimum rate of transfers. A transfer may stand still for the grace time at its beginning; every byte earns
 * further time, up to twice the grace time. One timer serves all transfers.
 */
export type TransferRates = {
  /** `onSlow` is called once, if the peer falls behind. */
  watch(onSlow: () => void): Transfer
  close(): void
}

export type Transfer = { moved(bytes: number): void; end(): void }

type Watched = { deadlineMs: number; onSlow(): void }

export const createTransferRates = ({
  graceMs,
  bytesPerSecond,
  checkEveryMs,
  clock,
}: {
  graceMs: number
  bytesPerSecond: number
  checkEveryMs: number
  clock: Clock
}): TransferRates => {
  // Their number is bounded by the connections and their streams.
  const transfers = new Set<Watched>()

  const look = (): void => {
    const nowMs = clock.monotonicMs()
    for (const transfer of transfers) {
      if (transfer.deadlineMs > nowMs) continue
      transfers.delete(transfer)
      transfer.onSlow()
    }
  }
  const timer = setInterval(look, checkEveryMs)
  timer.unref()

  return {
    watch: (onSlow) => {
      const transfer: Watched = { deadlineMs: clock.monotonicMs() + graceMs, onSlow }
      transfers.add(transfer)
      return {
        moved: (bytes) => {
          const latestMs = clock.monotonicMs() + 2 * graceMs
          transfer.deadlineMs = Math.min(latestMs, transfer.deadlineMs + (bytes * 1_000) / bytesPerSecond)
        },
        end: () => void transfers.delete(transfer),
      }
    },
    close: () => clearInterval(timer),
  }
}
