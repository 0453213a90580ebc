import type { PipelineRun, PipelineRunFrame, StreamState } from '@agent-run-service/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { client } from '../../api/client.ts'
import { mayPoll } from '../../api/connection.ts'
import { pipelineRunQuery } from '../../api/pipeline-runs.ts'
import { hasEnded } from '../../api/runs.ts'
import { foldPipelineFrame } from './pipeline-feed.ts'

export type PipelineConnection = StreamState['state'] | 'broken' | 'closed'

const paintEveryMs = 84
const pollMs = 3_000

/**
 * A pipeline run, followed by its stream until it ends. Frames are gathered and shown at most twelve times a second. If the
 * stream breaks, the pipeline run is read every 3 s.
 */
export const usePipelineRun = (id: string) => {
  const queryClient = useQueryClient()
  const [connection, setConnection] = useState<PipelineConnection>('closed')
  /** When the last frame arrived, by the clock of this browser. */
  const [lastFrameMs, setLastFrameMs] = useState(0)
  const query = useQuery({
    ...pipelineRunQuery(id),
    refetchInterval: ({ state: { data } }) =>
      connection === 'broken' && data && !hasEnded(data) && mayPoll() ? pollMs : false,
  })
  const isActive = query.data !== undefined && !hasEnded(query.data)
  useEffect(() => {
    if (!isActive) return
    const leaving = new AbortController()
    const { queryKey } = pipelineRunQuery(id)
    let waiting: PipelineRunFrame[] = []
    let painting: ReturnType<typeof setTimeout> | undefined
    const paint = () => {
      painting = undefined
      const frames = waiting
      waiting = []
      setLastFrameMs(Date.now())
      queryClient.setQueryData<PipelineRun>(queryKey, (was) => was && frames.reduce(foldPipelineFrame, was))
    }
    const follow = async () => {
      setConnection('connected')
      setLastFrameMs(Date.now())
      const stream = client.pipelineRuns.watch(id, { signal: leaving.signal })
      stream.onState(({ state }) => setConnection(state))
      for await (const frame of stream) {
        waiting.push(frame)
        painting ??= setTimeout(paint, paintEveryMs)
      }
      clearTimeout(painting)
      paint()
      await queryClient.invalidateQueries({ queryKey, exact: true })
    }
    follow().catch(() => {
      if (!leaving.signal.aborted) setConnection('broken')
    })
    return () => {
      leaving.abort()
      clearTimeout(painting)
    }
  }, [id, isActive, queryClient])
  return { ...query, connection, lastFrameMs }
}
