import type { Pipeline } from '@agent-run-service/sdk'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { usePipelineChanges } from '../../api/pipelines.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { type PipelineFields, PipelineForm } from './pipeline-form.tsx'
import { PipelineFrame, usePipelineReason } from './pipeline-frame.tsx'

export const PipelineEditPage = () => {
  const { pipelineId } = useParams({ from: '/app/pipelines/$pipelineId/edit' })
  return (
    <PipelineFrame pipelineId={pipelineId} part="Edit">
      {(pipeline) => <Edit key={pipeline.id} pipeline={pipeline} />}
    </PipelineFrame>
  )
}

const Edit = ({ pipeline }: { pipeline: Pipeline }) => {
  const navigate = useNavigate()
  const { update } = usePipelineChanges()
  // The version that the person began with: if a newer one exists, the service refuses the change.
  const [begun] = useState(pipeline)
  const [initial] = useState<PipelineFields>(() => ({
    name: pipeline.name,
    description: pipeline.description ?? '',
    text: JSON.stringify(pipeline.definition, null, 2),
  }))
  const [fields, setFields] = useState(initial)
  const back = () => navigate({ to: '/pipelines/$pipelineId', params: { pipelineId: pipeline.id } })
  return (
    <PipelineForm
      fields={fields}
      initial={initial}
      onChange={(part) => setFields((was) => ({ ...was, ...part }))}
      verb="Save"
      reason={usePipelineReason(pipeline)}
      onSend={async ({ name, description, definition }) => {
        const changes = {
          ...(name !== begun.name && { name }),
          ...(description !== (begun.description ?? null) && { description }),
          ...(JSON.stringify(definition) !== JSON.stringify(begun.definition) && { definition }),
        }
        if (Object.keys(changes).length > 0) {
          const { version } = await update(pipeline.id, { ...changes, version: begun.version })
          toast(`Version ${version} is saved. New pipeline runs use it.`)
        }
        await back()
      }}
    >
      <Button onClick={() => void back()}>Cancel</Button>
    </PipelineForm>
  )
}
