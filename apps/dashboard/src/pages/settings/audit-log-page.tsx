import type { AuditEntry } from '@agent-run-service/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { client } from '../../api/client.ts'
import { useList } from '../../api/list.ts'
import { useMemberNames } from '../../api/members.ts'
import { defined } from '../../search.ts'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { DetailList } from '../../ui/detail-list.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { inputLook } from '../../ui/field.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Id } from '../../ui/id.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { ListView } from '../../ui/list-view.tsx'
import { absoluteRange } from '../../ui/range.ts'
import { RangeFilter } from '../../ui/range-filter.tsx'
import { Time } from '../../ui/time.tsx'
import { SettingsHeader } from './settings-tabs.tsx'

const to = '/settings/audit-log'

/** Who did what, newest first. */
export const AuditLogPage = () => {
  const search = useSearch({ from: `/app${to}` })
  const navigate = useNavigate()
  const nameOf = useMemberNames()
  const { entry: openId, ...filters } = search
  const list = useList<AuditEntry>({
    queryKey: ['audit-log', 'list', filters],
    fetchPage: (cursor) => client.auditLog.list({ ...filters, ...absoluteRange(filters, Date.now()), ...cursor }),
  })
  const set = (part: { [Key in keyof typeof search]?: (typeof search)[Key] | undefined }) =>
    void navigate({ to, search: defined({ ...search, ...part }), replace: true })
  const isFiltered = Object.keys(filters).length > 0
  const clear = () => void navigate({ to, search: {} })
  const open = list.rows.find(({ id }) => id === openId)
  const who = ({ actor }: AuditEntry) => (actor.id === null ? actor.type : nameOf(actor.id))
  const columns: Column<AuditEntry>[] = [
    { id: 'when', title: 'When', width: '13rem', cell: (row) => <Time at={row.created_at} /> },
    { id: 'who', title: 'Who', width: '13rem', cell: who },
    { id: 'action', title: 'Action', cell: ({ action }) => <code className="font-mono text-xs">{action}</code> },
    {
      id: 'subject',
      title: 'Subject',
      width: '14rem',
      cell: ({ subject }) => (subject ? <Id id={subject} isShort /> : '–'),
    },
    { id: 'address', title: 'Address', width: '10rem', cell: ({ address }) => address ?? '–' },
  ]
  return (
    <>
      <SettingsHeader title="Audit log" />
      <FilterBar onClear={isFiltered ? clear : undefined}>
        {(['actor', 'action', 'subject'] as const).map((key) => (
          <input
            key={`${key} ${search[key] ?? ''}`}
            aria-label={labels[key]}
            placeholder={labels[key]}
            defaultValue={search[key] ?? ''}
            onBlur={({ target }) => set({ [key]: target.value.trim() || undefined })}
            onKeyDown={({ key: pressed, currentTarget }) => pressed === 'Enter' && currentTarget.blur()}
            className={`${inputLook} !w-44 h-7 text-xs`}
          />
        ))}
        <RangeFilter range={search} onChange={set} />
      </FilterBar>
      <ListView
        label="Audit log"
        list={list}
        columns={columns}
        hrefOf={(row) => `/settings/audit-log?${new URLSearchParams({ ...filters, entry: row.id })}`}
        empty={
          isFiltered ? (
            <EmptyState title="No entry matches the filters" action={<Button onClick={clear}>Clear</Button>} />
          ) : (
            <EmptyState title="Nothing is recorded yet">
              Administrative acts appear here, each with its actor.
            </EmptyState>
          )
        }
      />
      <Dialog
        isOpen={open !== undefined}
        onClose={() => set({ entry: undefined })}
        title={open?.action ?? ''}
        width="wide"
      >
        {open && <Entry entry={open} who={who(open)} />}
      </Dialog>
    </>
  )
}

const labels = { actor: 'Actor (id)', action: 'Action', subject: 'Subject (id)' } as const

const Entry = ({ entry, who }: { entry: AuditEntry; who: string }) => (
  <>
    <DetailList
      items={[
        ['Entry', <Id key="id" id={entry.id} />],
        ['When', <Time key="at" at={entry.created_at} />],
        ['Who', who],
        ['Subject', entry.subject ? <Id key="subject" id={entry.subject} /> : '–'],
        ['Address', entry.address ?? '–'],
        ['Request', entry.request_id ? <Id key="request" id={entry.request_id} /> : '–'],
      ]}
    />
    <div className="mt-4 grid gap-4 md:grid-cols-2">
      {(['before', 'after'] as const).map((side) => (
        <section key={side} aria-label={side} className="rounded-lg border border-line p-3">
          <h3 className="mb-1 font-medium">{side === 'before' ? 'Before' : 'After'}</h3>
          <JsonView value={entry[side]} name={`${entry.id}-${side}`} />
        </section>
      ))}
    </div>
  </>
)
