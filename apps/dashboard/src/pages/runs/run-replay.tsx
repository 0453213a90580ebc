import type { Run, RunFrame, RunStep } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { RunReads } from '../../api/runs.ts'
import { IconButton } from '../../ui/button.tsx'
import { duration } from '../../ui/format.ts'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { barsOfFeed, emptyFeed, type Feed, fold, textOfFeed } from './run-feed.ts'
import { RunFindings } from './run-findings.tsx'
import { RunOutput } from './run-output.tsx'
import { merged } from './run-picture.ts'
import { useRunSource } from './run-source.ts'
import { Waterfall } from './waterfall.tsx'

const maxFrames = 20_000

const framesQuery = (id: string, runs: RunReads) => ({
  queryKey: ['runs', id, 'frames'],
  queryFn: async (): Promise<readonly RunFrame[]> => {
    const frames: RunFrame[] = []
    for await (const frame of runs.watch(id)) {
      frames.push(frame)
      if (frames.length >= maxFrames) break
    }
    return frames
  },
  staleTime: Number.POSITIVE_INFINITY,
})

/** An ended run as it happened, frame by frame. The slider moves with the arrow keys. */
export const RunReplay = (props: {
  run: Run
  steps: readonly RunStep[]
  selected: number | undefined
  onSelect(step: number | undefined): void
}) => {
  const { run, steps } = props
  const { data: frames, error, refetch } = useQuery(framesQuery(run.id, useRunSource().runs))
  const [at, setAt] = useState(0)
  const feed = useMemo(() => feedAt(frames ?? [], at), [frames, at])
  if (error) return <Problem title="Replay: not loaded" error={error} onRetry={() => void refetch()} />
  if (!frames) return <Skeleton />
  const frame = frames[at]
  const last = Math.max(0, frames.length - 1)
  const sinceMs = frame ? Date.parse(frame.created_at) - Date.parse(run.created_at) : 0
  const known = steps.filter(({ number }) => feed.bars.some(({ step }) => step === number))
  const go = (to: number) => setAt(Math.max(0, Math.min(last, to)))
  return (
    <>
      <section aria-label="Replay" className="flex items-center gap-2 border-line border-b px-4 py-2">
        <IconButton label="Previous frame" onClick={() => go(at - 1)}>
          <ChevronLeft aria-hidden size={16} />
        </IconButton>
        <input
          type="range"
          aria-label="Frame"
          aria-valuetext={`${at + 1} of ${frames.length}: ${frame?.type ?? ''}`}
          min={0}
          max={last}
          value={at}
          onChange={({ target }) => go(Number(target.value))}
          className="h-6 min-w-24 flex-1 accent-accent"
        />
        <IconButton label="Next frame" onClick={() => go(at + 1)}>
          <ChevronRight aria-hidden size={16} />
        </IconButton>
        <span className="num w-64 truncate text-ink-2 text-xs" data-frame={at}>
          {at + 1} of {frames.length} · {duration(sinceMs)} · {frame?.type}
        </span>
      </section>
      {frames.length >= maxFrames && <p className="px-4 py-1 text-ink-3">The first {maxFrames} frames are shown.</p>}
      <Waterfall
        bars={merged([], barsOfFeed(feed))}
        steps={known}
        nowMs={feed.lastMs}
        selected={props.selected}
        findings={feed.findings}
        onSelect={props.onSelect}
      />
      <RunFindings findings={feed.findings} />
      <RunOutput text={textOfFeed(feed)} output={at === last ? run.output : null} isGrowing={at !== last} />
    </>
  )
}

const feedAt = (frames: readonly RunFrame[], at: number): Feed => frames.slice(0, at + 1).reduce(fold, emptyFeed)
