import type { Run, RunStep } from '@agent-run-service/sdk'
import { hasEnded } from '../../api/runs.ts'
import { Banner } from '../../ui/banner.tsx'
import { useNow } from '../../ui/time.tsx'
import { OpenDecisions } from './open-decisions.tsx'
import { RunDiagnosisLine } from './run-diagnosis.tsx'
import { RunErrorBox } from './run-error-box.tsx'
import { barsOfFeed, textOfFeed } from './run-feed.ts'
import { RunFindings } from './run-findings.tsx'
import { RunOutput } from './run-output.tsx'
import { barsOfSteps, merged } from './run-picture.ts'
import { useRunSource } from './run-source.ts'
import { useFindings } from './use-findings.ts'
import type { LiveFeed } from './use-run-feed.ts'
import { Waterfall } from './waterfall.tsx'

/** Error, decisions, diagnosis, waterfall and output of a run. The run page, the playground and a link show it; a link without decisions and diagnosis. */
export const RunMain = (props: {
  run: Run
  steps: readonly RunStep[]
  live: LiveFeed
  selected: number | undefined
  onSelect(step: number | undefined): void
}) => {
  const { run, steps, live } = props
  const { isShared } = useRunSource()
  const isOver = hasEnded(run)
  const nowMs = useNow(250, !isOver)
  const findings = useFindings(run, live)
  const stored = barsOfSteps(run, steps)
  // The last frame comes before the stored run. Until then the picture is that of the frames.
  const bars = run.finished_at === null ? merged(stored, barsOfFeed(live.feed)) : stored
  return (
    <>
      {run.error && <RunErrorBox error={run.error} />}
      {isShared ? (
        run.status === 'requires_action' && (
          <Banner tone="info">The run waits for a decision of its organisation.</Banner>
        )
      ) : (
        <>
          <OpenDecisions run={run} findings={findings} />
          {!isOver && run.status !== 'requires_action' && <RunDiagnosisLine run={run} lastFrameMs={live.lastFrameMs} />}
        </>
      )}
      <Waterfall
        bars={bars}
        steps={steps}
        nowMs={nowMs}
        selected={props.selected}
        findings={findings}
        onSelect={props.onSelect}
      />
      <RunFindings findings={findings} />
      <RunOutput text={textOfFeed(live.feed)} output={run.output} isGrowing={!isOver} />
    </>
  )
}
