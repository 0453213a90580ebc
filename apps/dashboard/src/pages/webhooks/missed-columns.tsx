import type { Event } from '@agent-run-service/sdk'
import type { Column } from '../../ui/data-table.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf, words } from '../../ui/words.ts'

/** The columns of missed events, on the page of them and beside the form of a recovery. */
export const missedColumns: readonly Column<Event>[] = [
  { id: 'type', title: 'Type', width: '14rem', cell: ({ type }) => <code className="font-mono text-xs">{type}</code> },
  { id: 'what', title: 'What happened', cell: ({ type }) => wordOf(words.events, type) },
  { id: 'id', title: 'Event', width: '18rem', cell: ({ id }) => <code className="font-mono text-xs">{id}</code> },
  { id: 'created', title: 'Created', width: '10rem', cell: ({ created_at }) => <Time at={created_at} /> },
]
