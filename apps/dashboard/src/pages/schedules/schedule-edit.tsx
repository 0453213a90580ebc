import { useNavigate, useParams } from '@tanstack/react-router'
import { useScheduleChanges } from '../../api/schedules.ts'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { ownZone } from './own-zone.ts'
import { changesOfSchedule, fieldsOfSchedule } from './schedule-fields.ts'
import { ScheduleForm } from './schedule-form.tsx'
import { ScheduleFrame } from './schedule-frame.tsx'

export const ScheduleEditPage = () => {
  const { scheduleId } = useParams({ from: '/app/schedules/$scheduleId/edit' })
  const navigate = useNavigate()
  const { update } = useScheduleChanges()
  const reason = useReason('schedules:write')
  const back = () => navigate({ to: '/schedules/$scheduleId', params: { scheduleId } })
  return (
    <ScheduleFrame scheduleId={scheduleId} part="Edit">
      {(schedule) => (
        <ScheduleForm
          key={schedule.id}
          initial={fieldsOfSchedule(schedule, ownZone())}
          verb="Save"
          reason={reason}
          onSubmit={async (fields) => {
            const changes = changesOfSchedule(schedule, fields)
            if (Object.keys(changes).length > 0) {
              await update(schedule.id, changes)
              toast('The schedule is changed.')
            }
            await back()
          }}
        >
          <Button onClick={() => void back()}>Cancel</Button>
        </ScheduleForm>
      )}
    </ScheduleFrame>
  )
}
