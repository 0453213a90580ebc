import type { AlertDestination } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { alertDestinationsQuery, useAlertDestinationChanges } from '../../api/alerts.ts'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { TextField } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'

/** The chat channels that every alert is posted to. */
export const ChannelList = () => {
  const { data, error, refetch } = useQuery(alertDestinationsQuery)
  const reason = useReason('alerts:write')
  const { remove } = useAlertDestinationChanges()
  const [isAdding, setIsAdding] = useState(false)
  const [removed, setRemoved] = useState<AlertDestination | null>(null)
  const columns: readonly Column<AlertDestination>[] = [
    { id: 'url', title: 'URL', cell: ({ url_hint }) => <span className="font-mono">{url_hint}</span> },
    { id: 'created', title: 'Added', width: '12rem', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      id: 'actions',
      title: 'Actions',
      width: '8rem',
      align: 'end',
      cell: (channel) => (
        <Button kind="quiet" reason={reason} onClick={() => setRemoved(channel)}>
          Remove
        </Button>
      ),
    },
  ]
  const add = (
    <Button reason={reason} onClick={() => setIsAdding(true)}>
      <Plus aria-hidden size={14} /> Add channel
    </Button>
  )
  if (error) return <Problem title="Channels: not loaded" error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton />
  return (
    <>
      {data.length === 0 ? (
        <EmptyState title="No channel yet" action={add}>
          Add the incoming webhook of a channel in Slack or in a chat that takes the format of Slack. Every alert that
          fires or resolves is posted there.
        </EmptyState>
      ) : (
        <div className="p-4">
          <div className="mb-2">{add}</div>
          <DataTable label="Channels" columns={columns} rows={data} isInline />
        </div>
      )}
      {isAdding && <ChannelDialog onClose={() => setIsAdding(false)} />}
      <ConfirmDialog
        isOpen={removed !== null}
        onClose={() => setRemoved(null)}
        title="Remove the channel"
        description={`Alerts are no longer posted to ${removed?.url_hint ?? ''}.`}
        verb="Remove channel"
        onConfirm={async () => {
          if (!removed) return
          await remove(removed.id)
          toast('The channel is removed.')
        }}
      />
    </>
  )
}

const ChannelDialog = ({ onClose }: { onClose(): void }) => {
  const { create } = useAlertDestinationChanges()
  const [problem, setProblem] = useState<unknown>(null)
  const { register, handleSubmit, formState } = useForm({ defaultValues: { url: '' } })
  const submit = handleSubmit(async ({ url }) => {
    setProblem(null)
    try {
      await create(url.trim())
      toast('The channel is added.')
      onClose()
    } catch (error) {
      setProblem(error)
    }
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Add a channel"
      description="The URL is a secret, because it allows posts to the channel. It is stored sealed, and is not shown again."
    >
      <form onSubmit={(event) => void submit(event)}>
        <TextField
          label="URL of the incoming webhook"
          type="url"
          autoComplete="off"
          placeholder="https://hooks.slack.com/services/…"
          isRequired
          {...register('url')}
        />
        {problem !== null && <Problem title="The channel was not added" error={problem} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit" isBusy={formState.isSubmitting}>
            Add
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
