import type { RunFrame, StreamState } from '@agent-run-service/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { runQuery, runStepsQuery } from '../../api/runs.ts'
import { emptyFeed, type Feed, fold } from './run-feed.ts'
import { useRunSource } from './run-source.ts'

export type LiveFeed = {
  feed: Feed
  connection: StreamState['state'] | 'broken' | 'closed'
  /** When the last frame arrived, by the clock of this browser. */
  lastFrameMs: number
}

const paintEveryMs = 84
const rereadEveryMs = 1_000
const closed: LiveFeed = { feed: emptyFeed, connection: 'closed', lastFrameMs: 0 }

/**
 * Follows a run that has not ended. Frames are gathered and shown at most twelve times a second, however fast they come.
 * After frames that are no deltas, the run and its steps are read again, at most once a second.
 */
export const useRunFeed = (runId: string, isActive: boolean): LiveFeed => {
  const [live, setLive] = useState<LiveFeed>(closed)
  const queryClient = useQueryClient()
  const { runs } = useRunSource()
  useEffect(() => {
    setLive(closed)
    if (!isActive) return
    const leaving = new AbortController()
    let waiting: RunFrame[] = []
    let painting: ReturnType<typeof setTimeout> | undefined
    let rereading: ReturnType<typeof setTimeout> | undefined
    // The steps first: the picture of a run that has ended is drawn from them alone.
    const reread = async () => {
      rereading = undefined
      await queryClient.invalidateQueries({ queryKey: runStepsQuery(runId).queryKey })
      await queryClient.invalidateQueries({ queryKey: runQuery(runId).queryKey, exact: true })
    }
    const paint = () => {
      painting = undefined
      const frames = waiting
      waiting = []
      setLive((was) => ({ ...was, feed: frames.reduce(fold, was.feed), lastFrameMs: Date.now() }))
      const hasNews = frames.some(({ type }) => type !== 'run.output.delta')
      if (hasNews) rereading ??= setTimeout(() => void reread(), rereadEveryMs)
    }
    const follow = async () => {
      setLive({ feed: emptyFeed, connection: 'connected', lastFrameMs: Date.now() })
      const stream = runs.watch(runId, {}, { signal: leaving.signal })
      stream.onState(({ state }) => setLive((was) => ({ ...was, connection: state })))
      for await (const frame of stream) {
        waiting.push(frame)
        painting ??= setTimeout(paint, paintEveryMs)
      }
      clearTimeout(painting)
      paint()
      clearTimeout(rereading)
      await reread()
    }
    follow().catch(() => {
      if (!leaving.signal.aborted) setLive((was) => ({ ...was, connection: 'broken' }))
    })
    return () => {
      leaving.abort()
      clearTimeout(painting)
      clearTimeout(rereading)
    }
  }, [runId, isActive, queryClient, runs])
  return live
}
