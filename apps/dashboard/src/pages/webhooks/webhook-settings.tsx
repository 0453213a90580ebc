import { limits, type Webhook, type WebhooksUpdateParams } from '@agent-run-service/sdk'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { fieldErrors } from '../../api/problem.ts'
import { useWebhookChanges } from '../../api/webhooks.ts'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { DetailList } from '../../ui/detail-list.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Id } from '../../ui/id.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { Time } from '../../ui/time.tsx'
import { toast, toastProblem } from '../../ui/toast.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { WebhookFrame } from './webhook-frame.tsx'

export const WebhookSettingsPage = () => {
  const { webhookId }: { webhookId: string } = useParams({ from: '/app/webhooks/$webhookId/settings' })
  return <WebhookFrame id={webhookId}>{(webhook) => <Settings key={webhook.id} webhook={webhook} />}</WebhookFrame>
}

const Settings = ({ webhook }: { webhook: Webhook }) => {
  const reason = useReason('webhooks:write')
  const navigate = useNavigate()
  const { update, remove } = useWebhookChanges()
  const [open, setOpen] = useState<'rotate' | 'delete' | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const setActive = async (active: boolean) => {
    try {
      await update(webhook.id, { active })
      toast(active ? 'The webhook is enabled' : 'The webhook is paused')
    } catch (error) {
      toastProblem(active ? 'Enable webhook: failed' : 'Pause webhook: failed', error)
    }
  }
  return (
    <div className="grid gap-8 p-4 lg:grid-cols-[minmax(0,40rem)_minmax(0,1fr)]">
      <WebhookForm
        webhook={webhook}
        verb="Save"
        reason={reason}
        onSubmit={async ({ url, events, description }) => {
          const changes: WebhooksUpdateParams = {
            ...(url.trim() !== webhook.url && { url: url.trim() }),
            ...(events.join() !== webhook.events.join() && { events: [...events] }),
            ...(description.trim() !== (webhook.description ?? '') && { description: description.trim() || null }),
          }
          if (Object.keys(changes).length > 0) await update(webhook.id, changes)
          toast('The webhook is changed')
        }}
      />
      <div className="flex flex-col items-start gap-4">
        <DetailList
          items={[
            ['Id', <Id key="id" id={webhook.id} />],
            ['Created', <Time key="created" at={webhook.created_at} />],
            ['Secret', <code key="secret" className="font-mono text-xs">{`…${webhook.secret_hint}`}</code>],
            ...(webhook.planned_events.length > 0
              ? [['Not sent yet', `${webhook.planned_events.join(', ')} (planned)`] as const]
              : []),
          ]}
        />
        <div className="flex flex-wrap gap-2">
          {webhook.active ? (
            <Button reason={reason} onClick={() => void setActive(false)}>
              Pause
            </Button>
          ) : (
            <Button reason={reason} onClick={() => void setActive(true)}>
              Enable
            </Button>
          )}
          <Button reason={reason} onClick={() => setOpen('rotate')}>
            Rotate secret
          </Button>
          <Button kind="danger" reason={reason} onClick={() => setOpen('delete')}>
            Delete
          </Button>
        </div>
      </div>
      {open === 'rotate' && (
        <RotateDialog
          webhook={webhook}
          onClose={() => setOpen(null)}
          onRotated={(made) => {
            setOpen(null)
            setSecret(made)
          }}
        />
      )}
      <ConfirmDialog
        isOpen={open === 'delete'}
        onClose={() => setOpen(null)}
        title="Delete the webhook"
        description="Nothing more is sent to it. Its deliveries are deleted too. To stop it for a while, pause it."
        verb="Delete webhook"
        phrase={webhook.id.slice(-6)}
        onConfirm={async () => {
          await remove(webhook.id)
          toast('The webhook is deleted')
          await navigate({ to: '/webhooks' })
        }}
      />
      <SecretOnce
        title="The new signing secret"
        description="Configure it in your receiver before the overlap ends. It is shown once."
        secret={secret}
        onStored={() => setSecret(null)}
      />
    </div>
  )
}

const RotateDialog = (props: { webhook: Webhook; onClose(): void; onRotated(secret: string): void }) => {
  const { rotateSecret } = useWebhookChanges()
  const [hours, setHours] = useState(String(limits.webhookSecretOverlapHours))
  const [own, setOwn] = useState('')
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const errors = error === null ? {} : fieldErrors(error, ['secret', 'overlap_hours'])
  const rotate = async () => {
    setIsBusy(true)
    setError(null)
    try {
      const { secret } = await rotateSecret(props.webhook.id, {
        overlap_hours: Number(hours),
        ...(own.trim() !== '' && { secret: own.trim() }),
      })
      props.onRotated(secret ?? '')
    } catch (caught) {
      setError(caught)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <Dialog
      isOpen
      onClose={props.onClose}
      title="Rotate the secret"
      description="During the overlap, webhook-signature has the signatures of both secrets, and X-SERVICE-Signature uses the old one."
    >
      <TextField
        label="Overlap in hours"
        help={`0 to ${limits.webhookSecretOverlapMaxHours}. 0: the old secret ends at once.`}
        type="number"
        min={0}
        max={limits.webhookSecretOverlapMaxHours}
        value={hours}
        error={errors.overlap_hours}
        onChange={({ target }) => setHours(target.value)}
      />
      <TextField
        label="Secret"
        help="Leave it empty, and the service makes one. Your own begins with whsec_."
        autoComplete="off"
        className="font-mono"
        value={own}
        error={errors.secret}
        onChange={({ target }) => setOwn(target.value)}
      />
      {error !== null && Object.keys(errors).length === 0 && <Problem title="Rotate secret: failed" error={error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={props.onClose}>Keep the secret</Button>
        <Button kind="primary" isBusy={isBusy} onClick={() => void rotate()}>
          Rotate secret
        </Button>
      </div>
    </Dialog>
  )
}
