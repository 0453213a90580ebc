import type { PipelineRun } from '@agent-run-service/sdk'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { RotateCcw, Square } from 'lucide-react'
import { useState } from 'react'
import { usePipelineRunChanges } from '../../api/pipeline-runs.ts'
import { hasEnded } from '../../api/runs.ts'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { downloadJson } from '../../ui/download.ts'
import { SelectField } from '../../ui/field.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast, toastProblem } from '../../ui/toast.tsx'
import { Actor } from '../agents/actor.tsx'

/** What can be done with a pipeline run. Nothing takes the place of Cancel when it ends. */
export const PipelineRunActions = ({ run }: { run: PipelineRun }) => {
  const [dialog, setDialog] = useState<'rerun' | 'erase' | null>(null)
  const changes = usePipelineRunChanges()
  const mayNotWrite = useReason('runs:write')
  const mayNotErase = useReason('runs:erase')
  const isOver = hasEnded(run)
  const notOver = isOver ? undefined : 'The pipeline run has not ended yet.'
  const erased = run.erased_at ? 'The data of the pipeline run was erased.' : undefined
  const cancel = useMutation({
    mutationFn: () => changes.cancel(run.id),
    onError: (error) => toastProblem('The pipeline run was not cancelled', error),
  })
  const isCancelling = cancel.isPending || run.status === 'cancelling'
  return (
    <>
      {!isOver && (
        <Button kind="danger" reason={mayNotWrite} isBusy={isCancelling} onClick={() => cancel.mutate()}>
          <Square aria-hidden size={13} /> {isCancelling ? 'Cancelling…' : 'Cancel'}
        </Button>
      )}
      <Button reason={mayNotWrite ?? notOver ?? erased} onClick={() => setDialog('rerun')}>
        <RotateCcw aria-hidden size={14} /> Run again from a step
      </Button>
      <Menu
        label="More actions"
        items={[
          { label: 'Download JSON', onSelect: () => downloadJson(run, run.id) },
          {
            label: 'Erase data',
            isDanger: true,
            reason: mayNotErase ?? notOver ?? erased,
            onSelect: () => setDialog('erase'),
          },
        ]}
      />
      <Dialog
        isOpen={dialog === 'rerun'}
        onClose={() => setDialog(null)}
        title="Run again from a step"
        description="A new pipeline run of the same version with the same input. Steps that do not come after the chosen one keep their outputs."
      >
        <RerunForm run={run} onClose={() => setDialog(null)} />
      </Dialog>
      <ConfirmDialog
        isOpen={dialog === 'erase'}
        onClose={() => setDialog(null)}
        title="Erase the data of this pipeline run?"
        description="Input, output, lists and payloads of decisions are erased for good, and so is the data of its runs. Status, times and the error code stay."
        verb="Erase data"
        phrase={run.id.slice(-6)}
        onConfirm={async () => {
          await changes.erase(run.id)
          toast('The data was erased')
        }}
      />
    </>
  )
}

const RerunForm = ({ run, onClose }: { run: PipelineRun; onClose(): void }) => {
  const navigate = useNavigate()
  const { rerun } = usePipelineRunChanges()
  // The step that failed is the usual choice.
  const [step, setStep] = useState(run.error?.step ?? run.steps[0]?.key ?? '')
  const decided = run.steps.filter(({ key, decision }) => decision !== null && key !== step)
  const again = useMutation({
    mutationFn: () => rerun(run.id, step),
    onSuccess: ({ id }) => {
      onClose()
      return navigate({ to: '/pipeline-runs/$pipelineRunId', params: { pipelineRunId: id }, search: {} })
    },
  })
  return (
    <>
      <SelectField label="First step that runs again" value={step} onChange={({ target }) => setStep(target.value)}>
        {run.steps.map(({ key }) => (
          <option key={key} value={key}>
            {key}
          </option>
        ))}
      </SelectField>
      {decided.length > 0 && (
        <div className="mb-3 max-w-prose text-ink-2">
          <p>
            If a step that runs again depends on one of these decisions, it counts once more and nobody is asked. This
            needs the permission to approve. To be asked again, choose the step of the decision.
          </p>
          <ul aria-label="Decisions" className="list-disc ps-5">
            {decided.map(({ key, decision }) => (
              <li key={key}>
                <code className="font-mono text-xs">{key}</code>:{' '}
                {decision?.type === 'approve' ? 'approved' : 'rejected'} by <Actor id={decision?.decided_by ?? null} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {again.error && <Problem title="Run again: failed" error={again.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Keep</Button>
        <Button kind="primary" isBusy={again.isPending} onClick={() => again.mutate()}>
          Run again
        </Button>
      </div>
    </>
  )
}
