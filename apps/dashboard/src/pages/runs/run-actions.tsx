import type { CreateRun, Run, RunStep } from '@agent-run-service/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { MessageSquare, RotateCcw, Share2, Square } from 'lucide-react'
import { useState } from 'react'
import { apiAddress, client } from '../../api/client.ts'
import { hasEnded, runQuery } from '../../api/runs.ts'
import { useReason } from '../../session.ts'
import { runSamples } from '../../snippets.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { downloadJson } from '../../ui/download.ts'
import { Menu } from '../../ui/menu.tsx'
import { toast, toastProblem } from '../../ui/toast.tsx'
import { MessageDialog } from './message-dialog.tsx'
import { ShareDialog } from './share-dialog.tsx'

/**
 * What can be done with a run. The row ends at the right edge, and what an active run has in addition stands before the rest:
 * nothing takes the place of Cancel when the run ends, and Cancel takes no place when one starts.
 */
export const RunActions = ({
  run,
  steps,
  view,
}: {
  run: Run
  steps: readonly RunStep[]
  view: 'raw' | 'replay' | undefined
}) => {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [dialog, setDialog] = useState<'message' | 'share' | 'erase' | null>(null)
  const mayNotWrite = useReason('runs:write')
  const mayNotErase = useReason('runs:erase')
  const mayNotShare = useReason('runs:share')
  const isOver = hasEnded(run)
  const over = isOver ? 'The run has ended.' : undefined
  const notOver = isOver ? undefined : 'The run has not ended yet.'
  const erased = run.erased_at ? 'The data of the run was erased.' : undefined
  const keep = (changed: Run) => queryClient.setQueryData(runQuery(run.id).queryKey, changed)
  const open = (to: 'raw' | 'replay' | undefined) =>
    void navigate({ to: '/runs/$runId', params: { runId: run.id }, search: to ? { view: to } : {} })
  const cancel = useMutation({
    mutationFn: async () => client.runs.cancel(run.id),
    onSuccess: keep,
    onError: (error) => toastProblem('The run was not cancelled', error),
  })
  const request = requestOfRun(run)
  const again = useMutation({
    mutationFn: async () => client.runs.create(request, { wait: false }),
    onSuccess: ({ id }) => navigate({ to: '/runs/$runId', params: { runId: id }, search: {} }),
    onError: (error) => toastProblem('The run was not started', error),
  })
  const isCancelling = cancel.isPending || run.status === 'cancelling'
  const copyCurl = async () => {
    const [curl] = runSamples({ address: apiAddress, request })
    await navigator.clipboard.writeText(curl?.code ?? '')
    toast('Copied as curl')
  }
  return (
    <>
      {!isOver && (
        <>
          <Button reason={mayNotWrite} onClick={() => setDialog('message')}>
            <MessageSquare aria-hidden size={14} /> Message
          </Button>
          <Button kind="danger" reason={mayNotWrite} isBusy={isCancelling} onClick={() => cancel.mutate()}>
            <Square aria-hidden size={13} /> {isCancelling ? 'Cancelling…' : 'Cancel'}
          </Button>
        </>
      )}
      <Button reason={mayNotWrite ?? erased} isBusy={again.isPending} onClick={() => again.mutate()}>
        <RotateCcw aria-hidden size={14} /> Run again
      </Button>
      <Button reason={mayNotShare ?? erased} onClick={() => setDialog('share')}>
        <Share2 aria-hidden size={13} /> Share
      </Button>
      <Menu
        label="More actions"
        items={[
          {
            label: 'Edit and run',
            reason: mayNotWrite ?? erased,
            onSelect: () => void navigate({ to: '/playground', search: { agent_id: run.agent_id, from_run: run.id } }),
          },
          view === 'replay'
            ? { label: 'Close the replay', onSelect: () => open(undefined) }
            : { label: 'Replay', reason: notOver ?? erased, onSelect: () => open('replay') },
          view === 'raw'
            ? { label: 'Close the JSON', onSelect: () => open(undefined) }
            : { label: 'Show as JSON', onSelect: () => open('raw') },
          {
            label: 'Compare with another run',
            onSelect: () => void navigate({ to: '/runs/compare', search: { a: run.id } }),
          },
          { label: 'Copy as curl', reason: erased, onSelect: () => void copyCurl() },
          { label: 'Download JSON', onSelect: () => downloadJson({ run, steps }, run.id) },
          {
            label: 'Erase data',
            isDanger: true,
            reason: mayNotErase ?? notOver ?? erased,
            onSelect: () => setDialog('erase'),
          },
        ]}
      />
      <MessageDialog run={run} isOpen={dialog === 'message' && over === undefined} onClose={() => setDialog(null)} />
      <ShareDialog runId={run.id} isOpen={dialog === 'share'} onClose={() => setDialog(null)} />
      <ConfirmDialog
        isOpen={dialog === 'erase'}
        onClose={() => setDialog(null)}
        title="Erase the data of this run?"
        description="Input, output, metadata and steps are erased for good. Status, times and the error code stay."
        verb="Erase data"
        phrase={run.id.slice(-6)}
        onConfirm={async () => {
          keep(await client.runs.erase(run.id))
          await queryClient.invalidateQueries({ queryKey: ['runs', run.id] })
          toast('The data was erased')
        }}
      />
    </>
  )
}

/** The request that makes the same run again. Its timeout is not part of a run. */
const requestOfRun = ({ agent_id, input, metadata }: Run): CreateRun => ({
  agent_id,
  input,
  ...(Object.keys(metadata).length > 0 && { metadata }),
})
