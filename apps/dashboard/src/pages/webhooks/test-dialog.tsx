import { eventsListTypes, type Webhook } from '@agent-run-service/sdk'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useWebhookChanges } from '../../api/webhooks.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { words } from '../../ui/words.ts'

const types = ['test', ...eventsListTypes] as const

/** Sends a signed test event, and opens its delivery, which is followed there. */
export const TestDialog = ({ webhook, onClose }: { webhook: Webhook; onClose(): void }) => {
  const navigate = useNavigate()
  const { test } = useWebhookChanges()
  const [type, setType] = useState<string>('test')
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const send = async () => {
    setIsBusy(true)
    setError(null)
    try {
      const { id: deliveryId } = await test(webhook.id, type)
      onClose()
      await navigate({
        to: '/webhooks/$webhookId/deliveries/$deliveryId',
        params: { webhookId: webhook.id, deliveryId },
      })
    } catch (caught) {
      setError(caught)
      setIsBusy(false)
    }
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Send test event"
      description="It is signed, retried and recorded like any other event, and carries the header X-SERVICE-Test: true."
    >
      <SelectField
        label="Type"
        help="The ids in a sample consist of zeros and refer to nothing."
        value={type}
        onChange={({ target }) => setType(target.value)}
      >
        {types.map((each) => (
          <option key={each} value={each}>
            {`${each}: ${words.events[each]}`}
          </option>
        ))}
      </SelectField>
      {error !== null && <Problem title="Send test event: failed" error={error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" isBusy={isBusy} onClick={() => void send()}>
          Send
        </Button>
      </div>
    </Dialog>
  )
}
