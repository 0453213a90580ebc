import type { Delivery, DeliveryStatus, Webhook, WebhooksListStatus } from '@agent-run-service/sdk'
import { limits } from '@agent-run-service/sdk'
import { Ban, Circle, CircleCheck, CircleX, LoaderCircle, TriangleAlert } from 'lucide-react'
import { Badge } from '../../ui/badge.tsx'
import { wordOf, words } from '../../ui/words.ts'

const health = {
  healthy: { tone: 'good', Icon: CircleCheck },
  failing: { tone: 'bad', Icon: TriangleAlert },
  disabled: { tone: 'plain', Icon: Ban },
} as const satisfies Record<WebhooksListStatus, object>

export const HealthBadge = ({ webhook: { status, disabled_reason } }: { webhook: Webhook }) => {
  const look = health[status as WebhooksListStatus] ?? { tone: 'plain' }
  return <Badge label={disabled_reason === 'paused' ? 'Paused' : wordOf(words.webhookStatuses, status)} {...look} />
}

const deliveryLooks = {
  pending: { tone: 'run', Icon: LoaderCircle, isTurning: true },
  succeeded: { tone: 'good', Icon: CircleCheck },
  failed: { tone: 'bad', Icon: CircleX },
} as const satisfies Record<DeliveryStatus, object>

export const DeliveryBadge = ({ status }: { status: string }) => {
  const look = deliveryLooks[status as DeliveryStatus]
  return <Badge label={wordOf(words.deliveryStatuses, status)} {...(look ?? { tone: 'plain' })} />
}

/** The attempts of a delivery: one sign for each that was made, empty ones for those that are left. */
export const AttemptDots = ({ delivery: { attempts, status } }: { delivery: Delivery }) => {
  const total = Math.max(limits.deliveryAttempts, attempts.length)
  const left = status === 'pending' ? total - attempts.length : 0
  const failed = attempts.filter(({ error }) => error !== null).length
  return (
    <span
      role="img"
      aria-label={`${attempts.length} of ${total} attempts, ${failed} failed`}
      className="inline-flex items-center gap-0.5"
    >
      {attempts.map(({ number, error }) =>
        error === null ? (
          <CircleCheck key={number} aria-hidden size={13} className="text-good" />
        ) : (
          <CircleX key={number} aria-hidden size={13} className="text-bad" />
        ),
      )}
      {Array.from({ length: total - attempts.length }, (_, n) => (
        <Circle
          // biome-ignore lint/suspicious/noArrayIndexKey: the signs are all the same and never move.
          key={n}
          aria-hidden
          size={13}
          className={n < left ? 'text-ink-3' : 'text-line'}
        />
      ))}
    </span>
  )
}
