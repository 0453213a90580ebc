import type { Run } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Info } from 'lucide-react'
import { diagnosisQuery } from '../../api/runs.ts'
import { duration, shortId } from '../../ui/format.ts'
import { useNow } from '../../ui/time.tsx'

const quietMs = 5_000

/** Why the run does not go on, once it was quiet for 5 s. */
export const RunDiagnosisLine = ({ run, lastFrameMs }: { run: Run; lastFrameMs: number }) => {
  const nowMs = useNow(1_000)
  const isQuiet = lastFrameMs > 0 && nowMs - lastFrameMs > quietMs
  const { data } = useQuery({ ...diagnosisQuery(run.id), enabled: isQuiet })
  if (!isQuiet || !data || data.waiting_for === 'nothing') return null
  return (
    <section aria-label="Diagnosis" className="m-4 flex items-start gap-2 rounded-lg border border-line bg-sunken p-3">
      <Info aria-hidden size={15} className="mt-0.5 shrink-0 text-run" />
      <div className="min-w-0">
        <p className="break-words">{data.message}</p>
        <p className="num flex flex-wrap gap-x-4 text-ink-2 text-xs">
          {data.queue_position !== null && <span>Place {data.queue_position} in the queue</span>}
          <Left label="next attempt" at={data.retry_at} nowMs={nowMs} />
          <Left label="deadline" at={data.next_deadline_at} nowMs={nowMs} />
        </p>
        {data.blocked_by.length > 0 && (
          <p className="flex flex-wrap gap-x-2 text-ink-2 text-xs">
            Slots are held by
            {data.blocked_by.map((id) => (
              <Link key={id} to="/runs/$runId" params={{ runId: id }} className="font-mono text-accent underline">
                {shortId(id)}
              </Link>
            ))}
          </p>
        )}
      </div>
    </section>
  )
}

const Left = ({ label, at, nowMs }: { label: string; at: string | null; nowMs: number }) =>
  at === null ? null : (
    <span>
      {label} {Date.parse(at) > nowMs ? `in ${duration(Date.parse(at) - nowMs)}` : 'now'}
    </span>
  )
