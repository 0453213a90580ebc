import type { ListCall } from '@agent-run-service/sdk'
import { useEffect, useRef } from 'react'
import { mayPoll } from './connection.ts'
import type { List } from './list.ts'

/** While a shown row moves, the first page is read again, and its rows are changed in place. Older rows have ended. */
export const useFreshRows = <Row extends { id: string }>(
  { rows, patch }: List<Row>,
  options: { isMoving(row: Row): boolean; everyMs: number; fetchFirst(): ListCall<Row> },
): void => {
  const { everyMs } = options
  const isMoving = rows.some(options.isMoving)
  const fetching = useRef(options.fetchFirst)
  fetching.current = options.fetchFirst
  useEffect(() => {
    if (!isMoving) return
    let isOld = false
    const refresh = async () => {
      if (!mayPoll()) return
      try {
        const page = await fetching.current()
        if (!isOld) patch(page.data)
      } catch {
        // The bars below the header tell about it; the next turn asks again.
      }
    }
    const timer = setInterval(() => void refresh(), everyMs)
    return () => {
      isOld = true
      clearInterval(timer)
    }
  }, [isMoving, everyMs, patch])
}
