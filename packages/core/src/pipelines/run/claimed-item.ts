/** The attempt of an item of a pipeline run that a run is accepted for. `pipelineRunId` is a UUID. */
export type PipelineItemRef = {
  readonly pipelineRunId: string
  readonly step: string
  readonly item: number
  readonly attempt: number
}

/** The fields of an offered run that name its item. */
export const itemFieldsOf = (item: PipelineItemRef | undefined) =>
  item && {
    pipeline_run_id: item.pipelineRunId,
    pipeline_step: item.step,
    pipeline_item: item.item,
    pipeline_attempt: item.attempt,
  }
