import type { PipelineRunFrame, PipelineRunId, PipelineRun as WirePipelineRun } from '@ars/contract'

/** What the streams of a pipeline run compare: the parts of one reading that frames show, as JSON. */
export type PipelinePicture = {
  /** Readings are numbered as they begin. */
  readonly reading: number
  readonly id: PipelineRunId
  readonly status: WirePipelineRun['status']
  readonly steps: ReadonlyMap<string, string>
  readonly actions: string
  /** The last frame of the stream; null: the pipeline run has not ended. */
  readonly end: string | null
}

/** Without their ids: these count the frames of one stream. */
export type PipelineFrames = readonly string[]

export const pictureOf = (run: WirePipelineRun, reading: number): PipelinePicture => ({
  reading,
  id: run.id,
  status: run.status,
  steps: new Map(run.steps.map((step) => [step.key, JSON.stringify(step)])),
  actions: JSON.stringify(run.required_actions),
  end: isEndStatus(run.status)
    ? encodeFrame(`pipeline_run.${run.status}`, run.id, `"pipeline_run":${JSON.stringify(run)}`)
    : null,
})

/** The first frame of every stream. */
export const encodePipelineSnapshot = (run: WirePipelineRun): string =>
  encodeFrame('pipeline_run.snapshot', run.id, `"pipeline_run":${JSON.stringify(run)}`)

/** The frames that lead from one picture to a later one, in the order of the steps. */
export const framesBetween = (before: PipelinePicture, after: PipelinePicture): PipelineFrames => {
  const { id } = after
  const frames: string[] = []
  if (after.status === 'cancelling' && before.status !== 'cancelling')
    frames.push(encodeFrame('pipeline_run.cancelling', id, null))
  for (const [key, step] of after.steps)
    if (before.steps.get(key) !== step) frames.push(encodeFrame('pipeline_run.step', id, `"step":${step}`))
  // The end says that no decision is open.
  if (after.end === null && before.actions !== after.actions)
    frames.push(encodeFrame('pipeline_run.requires_action', id, `"required_actions":${after.actions}`))
  if (after.end !== null) frames.push(after.end)
  return frames
}

/** The frames as they are sent: `sent` have been sent before. */
export const numberFrames = (frames: PipelineFrames, sent: number): string =>
  frames.map((frame, at) => `id: ${sent + at + 1}\n${frame}`).join('')

type EndStatus = 'completed' | 'failed' | 'cancelled'

const isEndStatus = (status: WirePipelineRun['status']): status is EndStatus =>
  status !== 'running' && status !== 'cancelling'

/** `fields`: the rest of the object as JSON. */
const encodeFrame = (type: PipelineRunFrame['type'], id: PipelineRunId, fields: string | null): string =>
  `event: ${type}\ndata: {"type":"${type}","pipeline_run_id":"${id}"${fields === null ? '' : `,${fields}`}}\n\n`
