import type { Schedule } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { scheduleQuery, useScheduleChanges } from '../../api/schedules.ts'
import { useReason } from '../../session.ts'
import { MissingState } from '../../shell/missing-state.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { FlowBadge } from '../../ui/flow-badge.tsx'
import { flowWords } from '../../ui/flow-words.ts'
import { Menu } from '../../ui/menu.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { toast, toastProblem } from '../../ui/toast.tsx'
import { wordOf } from '../../ui/words.ts'

/** Header and actions of the pages of one schedule. */
export const ScheduleFrame = (props: {
  scheduleId: string
  part?: string
  children(schedule: Schedule): ReactNode
}) => {
  const schedule = useQuery(scheduleQuery(props.scheduleId))
  if (schedule.isPending) return <Skeleton />
  if (!schedule.data) {
    return (
      <MissingState
        what="Schedule"
        id={props.scheduleId}
        error={schedule.error}
        onRetry={() => void schedule.refetch()}
      />
    )
  }
  return (
    <>
      <ScheduleHead schedule={schedule.data} part={props.part} />
      {props.children(schedule.data)}
    </>
  )
}

const ScheduleHead = ({ schedule, part }: { schedule: Schedule; part: string | undefined }) => {
  const navigate = useNavigate()
  const reason = useReason('schedules:write')
  const { run, pause, resume, remove } = useScheduleChanges()
  const [busy, setBusy] = useState<string | null>(null)
  const [isDeleting, setIsDeleting] = useState(false)
  const params = { scheduleId: schedule.id }
  const attempt = async (name: string, done: string, act: () => Promise<unknown>) => {
    setBusy(name)
    try {
      await act()
      toast(done)
    } catch (error) {
      toastProblem(`${name}: failed`, error)
    } finally {
      setBusy(null)
    }
  }
  return (
    <>
      <PageHeader
        title={<span className="[unicode-bidi:isolate]">{schedule.name}</span>}
        tabTitle={part === undefined ? schedule.name : `${schedule.name}: ${part}`}
        trail={
          <Link to="/schedules" className="hover:underline">
            Schedules
          </Link>
        }
        aside={<FlowBadge status={schedule.status} words={flowWords.scheduleStatuses} />}
      >
        {part !== 'Edit' && (
          <>
            <Button
              kind="primary"
              reason={reason}
              isBusy={busy === 'Run now'}
              onClick={() => void attempt('Run now', 'It starts within a few seconds.', () => run(schedule.id))}
            >
              <Play aria-hidden size={13} /> Run now
            </Button>
            {schedule.status === 'paused' && (
              <Button
                reason={reason}
                isBusy={busy === 'Resume'}
                onClick={() => void attempt('Resume', 'The schedule is active again.', () => resume(schedule.id))}
              >
                Resume
              </Button>
            )}
            {schedule.status === 'active' && (
              <Button
                reason={reason}
                isBusy={busy === 'Pause'}
                onClick={() => void attempt('Pause', 'The schedule is paused.', () => pause(schedule.id))}
              >
                Pause
              </Button>
            )}
            <Button reason={reason} onClick={() => void navigate({ to: '/schedules/$scheduleId/edit', params })}>
              Edit
            </Button>
          </>
        )}
        <Menu
          label="More actions"
          items={[{ label: 'Delete', isDanger: true, reason, onSelect: () => setIsDeleting(true) }]}
        />
      </PageHeader>
      {schedule.status === 'paused' && (
        <Banner tone={schedule.pause_reason === 'requested' ? 'info' : 'warn'}>
          Paused <Time at={schedule.paused_at} />.{' '}
          {wordOf(flowWords.pauseReasons, schedule.pause_reason ?? 'requested')} Dates that pass meanwhile do not fire
          later.
        </Banner>
      )}
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setIsDeleting(false)}
        title={`Delete ${schedule.name}?`}
        description="It does not fire any more, and its history is deleted. Runs that have started continue. To stop it for a while, pause it."
        verb="Delete schedule"
        onConfirm={async () => {
          await remove(schedule.id)
          toast('The schedule is deleted.')
          await navigate({ to: '/schedules', search: {} })
        }}
      />
    </>
  )
}
