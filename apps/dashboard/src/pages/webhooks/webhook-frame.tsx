import type { Webhook } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useWebhookChanges, webhookQuery } from '../../api/webhooks.ts'
import { useReason } from '../../session.ts'
import { MissingState } from '../../shell/missing-state.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Time } from '../../ui/time.tsx'
import { toast, toastProblem } from '../../ui/toast.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { TestDialog } from './test-dialog.tsx'
import { HealthBadge } from './webhook-parts.tsx'

/** Head, banner and tabs of one webhook, around the content of the tab. */
export const WebhookFrame = ({ id, children }: { id: string; children(webhook: Webhook): ReactNode }) => {
  const { data: webhook, error, refetch } = useQuery(webhookQuery(id))
  const reason = useReason('webhooks:write')
  const [isTesting, setIsTesting] = useState(false)
  if (!webhook) {
    return error ? <MissingState what="Webhook" id={id} error={error} onRetry={() => void refetch()} /> : <Skeleton />
  }
  const params = { webhookId: id }
  return (
    <>
      <PageHeader
        trail={
          <Link to="/webhooks" className="hover:underline">
            Webhooks
          </Link>
        }
        title={<span className="break-all [unicode-bidi:isolate]">{webhook.url}</span>}
        tabTitle={webhook.url}
      >
        <HealthBadge webhook={webhook} />
        <Button
          reason={reason ?? (webhook.active ? undefined : 'Nothing is sent to a disabled webhook. Enable it first.')}
          onClick={() => setIsTesting(true)}
        >
          <Send aria-hidden size={14} /> Send test event
        </Button>
      </PageHeader>
      <WebhookBanner webhook={webhook} reason={reason} />
      <Tabs
        label="Webhook"
        tabs={[
          { label: 'Deliveries', to: '/webhooks/$webhookId', params },
          { label: 'Missed', to: '/webhooks/$webhookId/missed', params },
          { label: 'Recoveries', to: '/webhooks/$webhookId/recoveries', params },
          { label: 'Settings', to: '/webhooks/$webhookId/settings', params },
        ]}
      />
      {children(webhook)}
      {isTesting && <TestDialog webhook={webhook} onClose={() => setIsTesting(false)} />}
    </>
  )
}

/** Disabled: why, and Enable. Enabled with missed events: Recover. */
const WebhookBanner = ({ webhook, reason }: { webhook: Webhook; reason: string | undefined }) => {
  const navigate = useNavigate()
  const { update } = useWebhookChanges()
  const [isBusy, setIsBusy] = useState(false)
  const enable = async () => {
    setIsBusy(true)
    try {
      const { missed_since } = await update(webhook.id, { active: true })
      toast('The webhook is enabled', missed_since === null ? undefined : 'Recover the events that it missed.')
    } catch (error) {
      toastProblem('Enable webhook: failed', error)
    } finally {
      setIsBusy(false)
    }
  }
  if (!webhook.active) {
    return (
      <Banner
        tone={webhook.disabled_reason === 'paused' ? 'warn' : 'bad'}
        action={
          <Button isSmall isBusy={isBusy} reason={reason} onClick={() => void enable()}>
            Enable
          </Button>
        }
      >
        Nothing is sent to this endpoint since <Time at={webhook.disabled_at} />.{' '}
        {wordOf(words.webhookDisabledReasons, webhook.disabled_reason ?? '')}
      </Banner>
    )
  }
  if (webhook.missed_since === null) return null
  return (
    <Banner
      tone="warn"
      action={
        <Button
          isSmall
          onClick={() => void navigate({ to: '/webhooks/$webhookId/recoveries', params: { webhookId: webhook.id } })}
        >
          Recover
        </Button>
      }
    >
      Events since <Time at={webhook.missed_since} /> may not have been delivered.
    </Banner>
  )
}
