import type { Pipeline } from '@agent-run-service/sdk'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { usePipelineRunChanges } from '../../api/pipeline-runs.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { JsonField } from '../../ui/json-field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { isObject } from '../../ui/schema-form/schema-fields.ts'
import { useSubmission } from '../../ui/use-submission.ts'
import { inputTemplate } from './draft-definition.ts'
import { examplePipelines } from './example-pipelines.ts'

/** Starts a pipeline run with an input. */
export const StartDialog = (props: { pipeline: Pipeline; isOpen: boolean; onClose(): void }) => (
  <Dialog
    isOpen={props.isOpen}
    onClose={props.onClose}
    title={`Start ${props.pipeline.name}`}
    description={`The pipeline run executes version ${props.pipeline.version}. Its steps run with your rights.`}
    width="wide"
  >
    <StartForm pipeline={props.pipeline} onClose={props.onClose} />
  </Dialog>
)

const StartForm = ({ pipeline, onClose }: { pipeline: Pipeline; onClose(): void }) => {
  const navigate = useNavigate()
  const { start } = usePipelineRunChanges()
  const [input, setInput] = useState<unknown>(() => firstInput(pipeline))
  const { errors, problem, isBusy, submit } = useSubmission({
    names: ['input'],
    check: () => (isObject(input) ? {} : { input: 'Write a JSON object.' }),
    send: async () => {
      const run = await start(pipeline.id, { input: input as Record<string, unknown> })
      await navigate({ to: '/pipeline-runs/$pipelineRunId', params: { pipelineRunId: run.id }, search: {} })
    },
  })
  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <JsonField
        label="Input, as JSON"
        help="Expressions of the pipeline read it as input."
        value={input}
        error={errors.input}
        onChange={setInput}
      />
      {problem !== null && <Problem title="Start run: failed" error={problem} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" isBusy={isBusy}>
          Start run
        </Button>
      </div>
    </form>
  )
}

/** The sample of the example that the pipeline was made from, else the fields that the definition reads. */
const firstInput = ({ metadata, definition }: Pipeline): Record<string, unknown> =>
  examplePipelines.find(({ key }) => key === metadata.ars_example)?.sample_input ?? inputTemplate(definition)
