import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useWebhookChanges } from '../../api/webhooks.ts'
import { useReason } from '../../session.ts'
import { CodeTabs } from '../../ui/code-tabs.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { receivers } from './receivers.ts'
import { WebhookForm } from './webhook-form.tsx'

/** Registers an endpoint, and shows its secret once with a receiver to start from. */
export const WebhookNewPage = () => {
  const navigate = useNavigate()
  const reason = useReason('webhooks:write')
  const { create } = useWebhookChanges()
  const [made, setMade] = useState<{ id: string; secret: string } | null>(null)
  return (
    <>
      <PageHeader
        trail={
          <Link to="/webhooks" className="hover:underline">
            Webhooks
          </Link>
        }
        title="New webhook"
      />
      <div className="p-4">
        <WebhookForm
          verb="Create webhook"
          reason={reason}
          onSubmit={async ({ url, events, secret, description }) => {
            const webhook = await create({
              url: url.trim(),
              events: [...events],
              ...(secret.trim() !== '' && { secret: secret.trim() }),
              ...(description.trim() !== '' && { description: description.trim() }),
            })
            setMade({ id: webhook.id, secret: webhook.secret ?? '' })
          }}
        />
      </div>
      <SecretOnce
        title="The signing secret"
        description="Give it to your receiver, which verifies each delivery with it. It is shown once."
        secret={made?.secret ?? null}
        onStored={() => {
          if (made) void navigate({ to: '/webhooks/$webhookId', params: { webhookId: made.id } })
        }}
      >
        <p className="mb-2">A receiver to start from. Run it with the secret in WEBHOOK_SECRET:</p>
        <div className="max-h-80 overflow-auto">
          <CodeTabs label="Receivers" samples={receivers} />
        </div>
      </SecretOnce>
    </>
  )
}
