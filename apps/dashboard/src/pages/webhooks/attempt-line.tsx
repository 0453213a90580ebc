import type { Delivery } from '@agent-run-service/sdk'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleX, Clock } from 'lucide-react'
import { duration } from '../../ui/format.ts'
import { Time, useNow } from '../../ui/time.tsx'

/** The attempts in time, each a link that opens it, with the wait before it. */
export const AttemptLine = ({ delivery, shown }: { delivery: Delivery; shown: number | undefined }) => {
  const { attempts, next_attempt_at: next, created_at, webhook_id, id } = delivery
  return (
    <ol aria-label="Attempts" className="flex flex-wrap items-stretch gap-2">
      {attempts.map(({ number, at, error, http_status, duration_ms }, n) => {
        const before = attempts[n - 1]?.at ?? created_at
        const Icon = error === null ? CircleCheck : CircleX
        return (
          <li key={number} className="flex items-center gap-2">
            <span className="text-ink-3 text-xs">+{duration(Math.max(0, Date.parse(at) - Date.parse(before)))}</span>
            <Link
              to="/webhooks/$webhookId/deliveries/$deliveryId"
              params={{ webhookId: webhook_id, deliveryId: id }}
              search={{ attempt: number }}
              replace
              aria-current={number === shown ? 'true' : undefined}
              className="flex items-center gap-2 rounded-md border border-line px-2.5 py-1.5 hover:bg-sunken aria-[current]:border-accent aria-[current]:bg-accent-soft"
            >
              <Icon aria-hidden size={15} className={error === null ? 'text-good' : 'text-bad'} />
              <span>
                <span className="block font-medium">Attempt {number}</span>
                <span className="num block text-ink-2 text-xs">
                  {http_status ?? 'No response'}, {duration(duration_ms)}
                </span>
              </span>
            </Link>
          </li>
        )
      })}
      {delivery.status === 'pending' && (
        <li className="flex items-center gap-2 text-ink-2">
          <Clock aria-hidden size={15} />
          {next === null ? 'An attempt is under way.' : <NextAttempt at={next} />}
        </li>
      )}
    </ol>
  )
}

const NextAttempt = ({ at }: { at: string }) => {
  const now = useNow(1_000)
  const leftMs = Date.parse(at) - now
  return (
    <span>
      Next attempt {leftMs > 0 ? `in ${duration(leftMs)}` : 'is due'} (<Time at={at} />)
    </span>
  )
}
