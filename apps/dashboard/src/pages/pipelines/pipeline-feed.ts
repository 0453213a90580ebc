import type { PipelineRun, PipelineRunFrame } from '@agent-run-service/sdk'

/** The pipeline run after a frame. Frames of an unknown type change nothing. */
export const foldPipelineFrame = (run: PipelineRun, frame: PipelineRunFrame): PipelineRun => {
  switch (frame.type) {
    case 'pipeline_run.snapshot':
    case 'pipeline_run.completed':
    case 'pipeline_run.failed':
    case 'pipeline_run.cancelled':
      return frame.pipeline_run
    case 'pipeline_run.step':
      return { ...run, steps: run.steps.map((step) => (step.key === frame.step.key ? frame.step : step)) }
    case 'pipeline_run.requires_action':
      return { ...run, required_actions: frame.required_actions }
    case 'pipeline_run.cancelling':
      return { ...run, status: 'cancelling' }
    default:
      return run
  }
}
