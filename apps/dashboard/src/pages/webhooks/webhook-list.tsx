import { type Webhook, type WebhooksListStatus, webhooksListStatuses } from '@agent-run-service/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { apiAddress } from '../../api/client.ts'
import { useWebhookChanges, useWebhookList } from '../../api/webhooks.ts'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { CodeTabs } from '../../ui/code-tabs.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar, FilterChip } from '../../ui/filter-bar.tsx'
import { count, percent } from '../../ui/format.ts'
import { ListView } from '../../ui/list-view.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Time } from '../../ui/time.tsx'
import { toast, toastProblem } from '../../ui/toast.tsx'
import { words } from '../../ui/words.ts'
import { TestDialog } from './test-dialog.tsx'
import { HealthBadge } from './webhook-parts.tsx'

/** The endpoints that receive events, and whether they answer. */
export const WebhookListPage = () => {
  const { status = '' }: { status?: string } = useSearch({ from: '/app/webhooks' })
  const navigate = useNavigate({ from: '/webhooks' })
  const reason = useReason('webhooks:write')
  const chosen = status.split(',').filter(Boolean) as WebhooksListStatus[]
  const list = useWebhookList(chosen.length > 0 ? { status: chosen } : {})
  const [tested, setTested] = useState<Webhook | null>(null)
  const toggle = (one: WebhooksListStatus) => {
    const next = chosen.includes(one) ? chosen.filter((each) => each !== one) : [...chosen, one]
    void navigate({ search: next.length > 0 ? { status: next.join(',') } : {} })
  }
  const clear = () => void navigate({ search: {} })
  const create = (
    <Button kind="primary" reason={reason} onClick={() => void navigate({ to: '/webhooks/new' })}>
      <Plus aria-hidden size={14} /> New webhook
    </Button>
  )
  return (
    <>
      <PageHeader title="Webhooks">{create}</PageHeader>
      <FilterBar onClear={chosen.length > 0 ? clear : undefined}>
        {webhooksListStatuses.map((one) => (
          <FilterChip
            key={one}
            label={words.webhookStatuses[one]}
            isOn={chosen.includes(one)}
            onToggle={() => toggle(one)}
          />
        ))}
        <span className="ms-auto text-ink-3 text-xs">Newest first</span>
      </FilterBar>
      <ListView
        label="Webhooks"
        list={list}
        columns={useColumns(reason, setTested)}
        hrefOf={({ id }) => `/webhooks/${id}`}
        empty={
          chosen.length > 0 ? (
            <EmptyState
              title={`No webhook is ${chosen.join(' or ')}`}
              action={<Button onClick={clear}>Clear the filter</Button>}
            />
          ) : (
            <EmptyState title="A webhook tells your program when something happens" action={create}>
              <p className="mb-3">For example when a run ends, or waits for a decision.</p>
              <CodeTabs label="Register a webhook" samples={samples} />
            </EmptyState>
          )
        }
      />
      {tested && <TestDialog webhook={tested} onClose={() => setTested(null)} />}
    </>
  )
}

const example = '{"url":"https://example.com/webhooks","events":["run.completed","run.failed"]}'
const samples = [
  {
    title: 'curl',
    code: `curl -sS ${apiAddress}/webhooks -H "Authorization: Bearer $ARS_API_KEY" \\\n  -H "Content-Type: application/json" -d '${example}'`,
  },
]

const useColumns = (reason: string | undefined, onTest: (webhook: Webhook) => void): readonly Column<Webhook>[] => {
  const { update } = useWebhookChanges()
  const setActive = async (webhook: Webhook, active: boolean) => {
    try {
      await update(webhook.id, { active })
      toast(active ? 'The webhook is enabled' : 'The webhook is paused')
    } catch (error) {
      toastProblem(active ? 'Enable webhook: failed' : 'Pause webhook: failed', error)
    }
  }
  return [
    {
      id: 'url',
      title: 'URL',
      width: '20rem',
      cell: ({ url, description }) => (
        <span title={description ?? undefined} className="font-medium [unicode-bidi:isolate]">
          {url}
        </span>
      ),
    },
    { id: 'health', title: 'Health', width: '7rem', cell: (webhook) => <HealthBadge webhook={webhook} /> },
    {
      id: 'events',
      title: 'Events',
      width: '14rem',
      cell: ({ events }) => (
        <span title={events.join('\n')}>
          {events.includes('*') ? 'All events' : events[0]}
          {events.length > 1 && ` +${events.length - 1}`}
        </span>
      ),
    },
    {
      id: 'day',
      title: 'Last day',
      width: '9rem',
      cell: ({ last_day: { deliveries, success_rate } }) =>
        deliveries === 0 ? (
          <span className="text-ink-3">None sent</span>
        ) : (
          `${count(deliveries)} sent, ${percent(success_rate, 0)} ok`
        ),
    },
    {
      id: 'failing',
      title: 'Failing since',
      width: '10rem',
      cell: ({ failing_since }) => <Time at={failing_since} />,
    },
    { id: 'missed', title: 'Missed since', width: '10rem', cell: ({ missed_since }) => <Time at={missed_since} /> },
    {
      id: 'actions',
      title: 'Actions',
      width: '4.5rem',
      cell: (webhook) => (
        <Menu
          label={`Actions for ${webhook.url}`}
          items={[
            {
              label: 'Send test event',
              reason:
                reason ?? (webhook.active ? undefined : 'Nothing is sent to a disabled webhook. Enable it first.'),
              onSelect: () => onTest(webhook),
            },
            webhook.active
              ? { label: 'Pause', reason, onSelect: () => void setActive(webhook, false) }
              : { label: 'Enable', reason, onSelect: () => void setActive(webhook, true) },
          ]}
        />
      ),
    },
  ]
}
