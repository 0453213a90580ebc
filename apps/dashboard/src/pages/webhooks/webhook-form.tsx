import { limits, type Webhook } from '@agent-run-service/sdk'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { TextArea, TextField } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useSubmission } from '../../ui/use-submission.ts'
import { EventChoice } from './event-choice.tsx'

export type WebhookFields = { url: string; events: readonly string[]; secret: string; description: string }

const names = ['url', 'events', 'secret', 'description'] as const
type Errors = Partial<Record<(typeof names)[number], string>>

const checkFields = ({ url, events }: WebhookFields): Errors => ({
  ...(!url.trim().startsWith('https://') && { url: 'Enter an address that begins with https://.' }),
  ...(events.length === 0 && { events: 'Choose at least one event.' }),
})

/** The fields of a webhook. The secret of an existing one is changed by a rotation, not here. */
export const WebhookForm = (props: {
  webhook?: Webhook
  verb: string
  reason: string | undefined
  onSubmit(fields: WebhookFields): Promise<void>
}) => {
  const { webhook } = props
  const [fields, setFields] = useState<WebhookFields>({
    url: webhook?.url ?? '',
    events: webhook?.events ?? [],
    secret: '',
    description: webhook?.description ?? '',
  })
  const { errors, problem, isBusy, submit } = useSubmission({
    names,
    check: () => checkFields(fields),
    send: () => props.onSubmit(fields),
  })
  const change = (part: Partial<WebhookFields>) => setFields({ ...fields, ...part })
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="max-w-[40rem]">
      <TextField
        label="URL"
        help="HTTPS on a public host. It must answer within 10 seconds with a status from 200 to 299."
        type="url"
        isRequired
        placeholder="https://example.com/webhooks"
        maxLength={limits.webhookUrlChars}
        value={fields.url}
        error={errors.url}
        onChange={({ target }) => change({ url: target.value })}
      />
      <EventChoice chosen={fields.events} error={errors.events} onChange={(events) => change({ events })} />
      {!webhook && (
        <TextField
          label="Secret"
          help="Deliveries are signed with it. Leave it empty, and the service makes one. Your own begins with whsec_."
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
          value={fields.secret}
          error={errors.secret}
          onChange={({ target }) => change({ secret: target.value })}
        />
      )}
      <TextArea
        label="Description"
        help="A note for your team."
        rows={2}
        maxLength={500}
        value={fields.description}
        error={errors.description}
        onChange={({ target }) => change({ description: target.value })}
      />
      {problem !== null && <Problem title={`${props.verb}: failed`} error={problem} />}
      <Button kind="primary" type="submit" isBusy={isBusy} reason={props.reason}>
        {props.verb}
      </Button>
    </form>
  )
}
