import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useScheduleChanges } from '../../api/schedules.ts'
import { useReason } from '../../session.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { toast } from '../../ui/toast.tsx'
import { ownZone } from './own-zone.ts'
import { bodyOfSchedule, newSchedule } from './schedule-fields.ts'
import { ScheduleForm } from './schedule-form.tsx'

export const ScheduleNewPage = () => {
  const navigate = useNavigate()
  const { create } = useScheduleChanges()
  const [initial] = useState(() => newSchedule(ownZone()))
  return (
    <>
      <PageHeader
        title="New schedule"
        trail={
          <Link to="/schedules" className="hover:underline">
            Schedules
          </Link>
        }
      />
      <ScheduleForm
        initial={initial}
        verb="Create schedule"
        reason={useReason('schedules:write')}
        onSubmit={async (fields) => {
          const schedule = await create(bodyOfSchedule(fields))
          toast('The schedule is created.')
          await navigate({ to: '/schedules/$scheduleId', params: { scheduleId: schedule.id } })
        }}
      />
    </>
  )
}
