import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Info } from 'lucide-react'
import { pipelineDiagnosisQuery } from '../../api/pipeline-runs.ts'
import { duration, shortId } from '../../ui/format.ts'
import { useNow } from '../../ui/time.tsx'

const quietMs = 5_000

/** Why the pipeline run does not go on, once it was quiet for 5 s. */
export const PipelineDiagnosis = ({ id, lastFrameMs }: { id: string; lastFrameMs: number }) => {
  const nowMs = useNow(1_000)
  const isQuiet = lastFrameMs > 0 && nowMs - lastFrameMs > quietMs
  const { data } = useQuery({ ...pipelineDiagnosisQuery(id), enabled: isQuiet })
  if (!isQuiet || !data || data.waiting_for === 'nothing') return null
  return (
    <section aria-label="Diagnosis" className="m-4 flex items-start gap-2 rounded-lg border border-line bg-sunken p-3">
      <Info aria-hidden size={15} className="mt-0.5 shrink-0 text-run" />
      <div className="min-w-0">
        <p className="break-words">{data.message}</p>
        <p className="num flex flex-wrap gap-x-4 text-ink-2 text-xs">
          <Left label="next attempt" at={data.retry_at} nowMs={nowMs} />
          <Left label="deadline" at={data.next_deadline_at} nowMs={nowMs} />
        </p>
        {data.run_ids.length > 0 && (
          <p className="flex flex-wrap gap-x-2 text-ink-2 text-xs">
            It waits for
            {data.run_ids.map((runId) => (
              <Link
                key={runId}
                to="/runs/$runId"
                params={{ runId }}
                search={{}}
                className="font-mono text-accent underline"
              >
                {shortId(runId)}
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
