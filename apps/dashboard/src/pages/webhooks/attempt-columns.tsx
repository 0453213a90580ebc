import type { Delivery } from '@agent-run-service/sdk'
import type { Column } from '../../ui/data-table.tsx'
import { duration } from '../../ui/format.ts'
import { Time } from '../../ui/time.tsx'
import { AttemptDots } from './webhook-parts.tsx'

/** What became of a delivery. The lists of an endpoint and of an event end with these columns. */
export const attemptColumns: readonly Column<Delivery>[] = [
  { id: 'attempts', title: 'Attempts', width: '6rem', cell: (delivery) => <AttemptDots delivery={delivery} /> },
  {
    id: 'answer',
    title: 'Last status',
    width: '7rem',
    align: 'end',
    cell: ({ attempts }) => attempts.at(-1)?.http_status ?? '–',
  },
  {
    id: 'duration',
    title: 'Duration',
    width: '7rem',
    align: 'end',
    cell: ({ attempts }) => duration(attempts.at(-1)?.duration_ms),
  },
  { id: 'created', title: 'Created', width: '10rem', cell: ({ created_at }) => <Time at={created_at} /> },
]
