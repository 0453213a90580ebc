import type { Recovery, Webhook } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { fieldErrors } from '../../api/problem.ts'
import { recoveryQuery, useMissedList, useRecoveryList, useWebhookChanges } from '../../api/webhooks.ts'
import { useReason } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { ListView } from '../../ui/list-view.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { Problem } from '../../ui/problem.tsx'
import { fromLocalInput, toLocalInput } from '../../ui/range.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { toastProblem } from '../../ui/toast.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { missedColumns } from './missed-columns.tsx'
import { recoveryShare, recoveryWords } from './recovery-progress.ts'
import { WebhookFrame } from './webhook-frame.tsx'

/** Sends missed events again, and shows how far that is. */
export const WebhookRecoveriesPage = () => {
  const { webhookId }: { webhookId: string } = useParams({ from: '/app/webhooks/$webhookId/recoveries' })
  return (
    <WebhookFrame id={webhookId}>
      {(webhook) => (
        <div className="flex flex-col gap-6 p-4">
          <RecoverForm key={webhook.missed_since} webhook={webhook} />
          <Recoveries webhookId={webhookId} />
        </div>
      )}
    </WebhookFrame>
  )
}

const dayMs = 86_400_000

const RecoverForm = ({ webhook }: { webhook: Webhook }) => {
  const reason = useReason('webhooks:write')
  const isUtc = usePreferences().zone === 'utc'
  const { recover } = useWebhookChanges()
  // An input shows minutes: the exact time is kept until the person changes it.
  const [since, setSince] = useState<string | undefined>(
    () => webhook.missed_since ?? new Date(Date.now() - dayMs).toISOString(),
  )
  const [until, setUntil] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const errors = error === null ? {} : fieldErrors(error, ['since', 'until'])
  const inactive = webhook.active ? undefined : 'Nothing is sent to a disabled webhook. Enable it first.'
  const start = async () => {
    if (since === undefined) return
    setIsBusy(true)
    setError(null)
    try {
      await recover(webhook.id, { since, ...(until !== undefined && { until }) })
    } catch (caught) {
      setError(caught)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <section aria-labelledby="recover" className="min-w-0">
      <h2 id="recover" className="mb-1 font-semibold">
        Recover missed events
      </h2>
      <p className="mb-3 max-w-prose text-ink-2">
        Sends every event of this time that the endpoint has not acknowledged, oldest first, with its original id.
      </p>
      <div className="flex flex-wrap items-start gap-4">
        <TextField
          label={isUtc ? 'Since (UTC)' : 'Since'}
          type="datetime-local"
          isRequired
          value={toLocalInput(since, isUtc)}
          error={errors.since}
          onChange={({ target }) => setSince(fromLocalInput(target.value, isUtc))}
        />
        <TextField
          label={isUtc ? 'Until (UTC)' : 'Until'}
          help="Empty: now"
          type="datetime-local"
          value={toLocalInput(until, isUtc)}
          error={errors.until}
          onChange={({ target }) => setUntil(fromLocalInput(target.value, isUtc))}
        />
        <Button
          kind="primary"
          className="mt-6"
          isBusy={isBusy}
          reason={reason ?? inactive ?? (since === undefined ? 'Enter a time.' : undefined)}
          onClick={() => void start()}
        >
          Start recovery
        </Button>
      </div>
      {error !== null && Object.keys(errors).length === 0 && <Problem title="Start recovery: failed" error={error} />}
      {since !== undefined && <MissedPreview webhookId={webhook.id} since={since} until={until} />}
    </section>
  )
}

/** The newest missed events of the chosen time. */
const MissedPreview = (props: { webhookId: string; since: string; until: string | undefined }) => {
  const list = useMissedList(props.webhookId, { created_after: props.since, created_before: props.until })
  return (
    <>
      <h3 className="mb-1 font-medium text-ink-2">
        Missed in this time
        {list.rows.length > 0 && `: ${list.rows.length}${list.hasMore ? ' newest, and more' : ''}`}
      </h3>
      <div className="max-h-72 overflow-auto rounded-lg border border-line">
        <ListView
          label="Missed events of this time"
          isInline
          // Only the first page: the page of missed events shows all.
          list={{ ...list, hasMore: list.rows.length === 0 && list.hasMore }}
          columns={missedColumns}
          hrefOf={({ id }) => `/events/${id}`}
          empty={<p className="p-3 text-ink-3">No event of this time was missed.</p>}
        />
      </div>
    </>
  )
}

const Recoveries = ({ webhookId }: { webhookId: string }) => {
  const { rows, isLoading, error, retry, hasMore, loadMore } = useRecoveryList(webhookId)
  return (
    <section aria-labelledby="recoveries">
      <h2 id="recoveries" className="mb-2 font-semibold">
        Recoveries
      </h2>
      {isLoading && <Skeleton rows={2} />}
      {error && <Problem title="Recoveries: not loaded" error={error} onRetry={retry} />}
      {!isLoading && !error && rows.length === 0 && <p className="text-ink-3">No recovery was started yet.</p>}
      <ul className="flex flex-col gap-2">
        {rows.map((recovery) => (
          <li key={recovery.id}>
            <RecoveryRow start={recovery} />
          </li>
        ))}
      </ul>
      {hasMore && (
        <Button className="mt-2" onClick={loadMore}>
          Show more
        </Button>
      )}
    </section>
  )
}

const tones = { running: 'run', completed: 'good', cancelled: 'plain' } as const

const RecoveryRow = ({ start }: { start: Recovery }) => {
  const { data: recovery } = useQuery(recoveryQuery(start))
  const reason = useReason('webhooks:write')
  const { cancelRecovery } = useWebhookChanges()
  const [isBusy, setIsBusy] = useState(false)
  const cancel = async () => {
    setIsBusy(true)
    try {
      await cancelRecovery(recovery.webhook_id, recovery.id)
    } catch (error) {
      toastProblem('Cancel recovery: failed', error)
    } finally {
      setIsBusy(false)
    }
  }
  const { status, since, until, progress } = recovery
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 rounded-lg border border-line px-3 py-2">
      <Badge label={wordOf(words.recoveryStatuses, status)} tone={tones[status as keyof typeof tones] ?? 'plain'} />
      <span>
        <Time at={since} /> to <Time at={until} />
      </span>
      <progress
        aria-label="Progress of the recovery"
        value={recoveryShare(recovery)}
        className="h-2 w-40 accent-accent"
      />
      <span role="status" className="num">
        {recoveryWords(recovery)}
      </span>
      {status === 'running' && progress.scanned_until !== null && (
        <span className="text-ink-3">
          Events up to <Time at={progress.scanned_until} /> were checked.
        </span>
      )}
      {status === 'running' && (
        <Button isSmall className="ms-auto" isBusy={isBusy} reason={reason} onClick={() => void cancel()}>
          Cancel
        </Button>
      )}
    </div>
  )
}
