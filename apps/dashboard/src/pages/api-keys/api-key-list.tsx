import type { ApiKey } from '@agent-run-service/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useAgentName } from '../../api/agents.ts'
import { useApiKeyList } from '../../api/api-keys.ts'
import { apiAddress, client } from '../../api/client.ts'
import { mayPoll } from '../../api/connection.ts'
import type { List } from '../../api/list.ts'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { CodeTabs } from '../../ui/code-tabs.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar, FilterChip } from '../../ui/filter-bar.tsx'
import { ListView } from '../../ui/list-view.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Tooltip } from '../../ui/tooltip.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { type KeyDialog, KeyDialogs } from './key-dialogs.tsx'
import { ExposedBanner, KeyBadge, KeyEnd, KeyMaker, LastUsed } from './key-parts.tsx'
import { isExposed, isInGrace, isUsable, type KeyFilter, keyFilters, maskedKey, passesFilter } from './key-state.ts'

const filterWords = { active: 'Active', rotated: 'Rotated', revoked: 'Revoked or expired' } as const

/** Who may call the API, with which permissions. */
export const ApiKeyListPage = () => {
  const { status }: { status?: KeyFilter } = useSearch({ from: '/app/settings/api-keys' })
  const navigate = useNavigate({ from: '/settings/api-keys' })
  const reason = useReason('keys:write')
  const list = useApiKeyList()
  const [open, setOpen] = useState<KeyDialog | null>(null)
  useWatchedRows(list)
  const now = Date.now()
  const rows = list.rows.filter((key) => passesFilter(key, status, now))
  const create = (
    <Button kind="primary" reason={reason} onClick={() => setOpen({ act: 'create' })}>
      <Plus aria-hidden size={14} /> Create key
    </Button>
  )
  return (
    <>
      <PageHeader title="API keys">{create}</PageHeader>
      {list.rows
        .filter((key) => isExposed(key, now) && key.rotated_to === null)
        .slice(0, 3)
        .map((key) => (
          <ExposedBanner key={key.id} apiKey={key} reason={reason} onRotate={() => setOpen({ act: 'rotate', key })} />
        ))}
      <FilterBar onClear={status && (() => void navigate({ search: {} }))}>
        {keyFilters.map((filter) => (
          <FilterChip
            key={filter}
            label={filterWords[filter]}
            isOn={status === filter}
            onToggle={() => void navigate({ search: status === filter ? {} : { status: filter } })}
          />
        ))}
        <span className="ms-auto text-ink-3 text-xs">Newest first</span>
      </FilterBar>
      <ListView
        label="API keys"
        list={{ ...list, rows }}
        columns={useColumns(reason, setOpen)}
        hrefOf={({ id }) => `/settings/api-keys/${id}`}
        empty={
          status && list.rows.length > 0 ? (
            <EmptyState
              title={`No key is ${filterWords[status].toLowerCase()}`}
              action={<Button onClick={() => void navigate({ search: {} })}>Clear the filter</Button>}
            />
          ) : (
            <EmptyState title="Programs call the API with a key" action={create}>
              <p className="mb-3">Create one, then send it with each request.</p>
              <CodeTabs label="A call with a key" samples={samples} />
            </EmptyState>
          )
        }
      />
      <KeyDialogs open={open} onClose={() => setOpen(null)} />
    </>
  )
}

const samples = [
  { title: 'curl', code: `curl -sS ${apiAddress}/agents -H "Authorization: Bearer $ARS_API_KEY"` },
  { title: 'ars', code: `export ARS_BASE_URL=${apiAddress} ARS_API_KEY=ars_live_…\nars agents list` },
]

const useColumns = (reason: string | undefined, onOpen: (dialog: KeyDialog) => void): readonly Column<ApiKey>[] => {
  const agentName = useAgentName()
  return [
    {
      id: 'name',
      title: 'Name',
      width: '13rem',
      cell: (key) => (
        <span className="inline-flex max-w-full items-center gap-1.5">
          <span className="truncate font-medium">{key.name}</span>
          <KeyBadge apiKey={key} />
        </span>
      ),
    },
    { id: 'kind', title: 'Kind', width: '3.5rem', cell: ({ kind }) => wordOf(words.apiKeyKinds, kind) },
    {
      id: 'key',
      title: 'Key',
      width: '9rem',
      cell: (key) => <span className="font-mono text-xs">{maskedKey(key)}</span>,
    },
    {
      id: 'scopes',
      title: 'Scopes',
      width: '8rem',
      cell: ({ scopes }) => <ListedShort items={scopes} />,
    },
    {
      id: 'agents',
      title: 'Agents',
      width: '6rem',
      cell: ({ agent_ids }) => (agent_ids === null ? 'All' : <ListedShort items={agent_ids.map(agentName)} />),
    },
    { id: 'used', title: 'Last used', width: '10.5rem', cell: (key) => <LastUsed apiKey={key} /> },
    {
      id: 'expires',
      title: 'Expires',
      width: '14.5rem',
      cell: (key) => (
        <span className="inline-flex items-center gap-2">
          <KeyEnd apiKey={key} />
          {isInGrace(key, Date.now()) && (
            <Button
              isSmall
              kind="danger"
              className="relative z-10 !h-6"
              reason={reason}
              onClick={() => onOpen({ act: 'revoke', key })}
            >
              Revoke now
            </Button>
          )}
        </span>
      ),
    },
    { id: 'creator', title: 'Made by', width: '7rem', cell: ({ created_by }) => <KeyMaker id={created_by} /> },
    {
      id: 'actions',
      title: 'Actions',
      width: '4rem',
      cell: (key) => {
        const ended = isUsable(key, Date.now()) ? reason : 'The key does not work any more.'
        const rotated = key.rotated_to === null ? ended : 'The key was rotated before.'
        return (
          <Menu
            label={`Actions for ${key.name}`}
            items={[
              { label: 'Rotate', reason: rotated, onSelect: () => onOpen({ act: 'rotate', key }) },
              { label: 'Edit', reason: rotated, onSelect: () => onOpen({ act: 'edit', key }) },
              { label: 'Revoke', isDanger: true, reason: ended, onSelect: () => onOpen({ act: 'revoke', key }) },
            ]}
          />
        )
      },
    },
  ]
}

const maxListed = 20

/** The first item and how many more; the tooltip has the first 20. */
const ListedShort = ({ items }: { items: readonly string[] }) => {
  const rest = items.length - maxListed
  return (
    <Tooltip text={[...items.slice(0, maxListed), ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n')}>
      <span className="relative z-10">
        {items[0] ?? '–'}
        {items.length > 1 && ` +${items.length - 1}`}
      </span>
    </Tooltip>
  )
}

const maxWatched = 3
const watchMs = 30_000

/** Rotated keys that still work are read again every 30 s, so that the list shows whether something uses them. */
const useWatchedRows = ({ rows, patch }: List<ApiKey>): void => {
  const ids = rows
    .filter((key) => isInGrace(key, Date.now()))
    .slice(0, maxWatched)
    .map(({ id }) => id)
    .join(' ')
  useEffect(() => {
    if (ids === '') return
    const read = async () => {
      if (!mayPoll()) return
      try {
        patch(await Promise.all(ids.split(' ').map(async (id) => client.apiKeys.get(id))))
      } catch {
        // The bars below the header tell about it; the next turn asks again.
      }
    }
    const timer = setInterval(() => void read(), watchMs)
    return () => clearInterval(timer)
  }, [ids, patch])
}
