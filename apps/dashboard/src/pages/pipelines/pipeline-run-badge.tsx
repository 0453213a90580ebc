import type { PipelineRun } from '@agent-run-service/sdk'
import { FlowBadge } from '../../ui/flow-badge.tsx'
import { flowWords } from '../../ui/flow-words.ts'

const pipelineRunWords = { ...flowWords.pipelineRunStatuses, requires_action: 'Needs a decision' }

/** The status of a pipeline run. One that waits for a person says so, although it is running. */
export const PipelineRunBadge = ({ run }: { run: Pick<PipelineRun, 'status' | 'required_actions'> }) => (
  <FlowBadge
    status={run.status === 'running' && run.required_actions.length > 0 ? 'requires_action' : run.status}
    words={pipelineRunWords}
  />
)
