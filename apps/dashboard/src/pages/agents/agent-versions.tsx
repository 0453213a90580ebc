import type { AgentVersion } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { agentDiffQuery, useVersions } from '../../api/agents.ts'
import { openDeploymentsQuery } from '../../api/deployments.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { FilterSelect } from '../../ui/filter-bar.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { Actor } from './actor.tsx'
import { AgentFrame } from './agent-frame.tsx'
import { ChangeList } from './change-list.tsx'

export const AgentVersionsPage = () => {
  const { agentId } = useParams({ from: '/app/agents/$agentId/versions' })
  return (
    <AgentFrame agentId={agentId} part="Versions">
      {() => <Versions agentId={agentId} />}
    </AgentFrame>
  )
}

type Row = AgentVersion & { id: string }

const Versions = ({ agentId }: { agentId: string }) => {
  const search = useSearch({ from: '/app/agents/$agentId/versions' })
  const versions = useVersions(agentId)
  const { data: open = [] } = useQuery(openDeploymentsQuery(agentId))
  if (versions.isPending) return <Skeleton />
  if (!versions.data) {
    return <Problem title="The versions: not loaded" error={versions.error} onRetry={() => void versions.refetch()} />
  }
  const rows: readonly Row[] = versions.data.pages
    .flatMap(({ data }) => data)
    .map((version) => ({ ...version, id: String(version.version) }))
  const newest = rows[0]?.version ?? 1
  const to = search.to ?? newest
  const from = search.from ?? Math.max(1, to - 1)
  const columns: readonly Column<Row>[] = [
    {
      id: 'version',
      title: 'Version',
      width: '14rem',
      cell: ({ version }) => (
        <span className="num inline-flex items-center gap-2">
          {version}
          {open
            .filter((deployment) => deployment.version === version)
            .map(({ id, status }) => (
              <Badge
                key={id}
                label={wordOf(words.deploymentStatuses, status)}
                tone={status === 'canary' ? 'run' : 'good'}
              />
            ))}
        </span>
      ),
    },
    { id: 'name', title: 'Name', cell: ({ name }) => <span className="[unicode-bidi:isolate]">{name}</span> },
    { id: 'by', title: 'By', width: '14rem', cell: ({ created_by }) => <Actor id={created_by} /> },
    { id: 'created', title: 'Created', width: '13rem', cell: ({ created_at }) => <Time at={created_at} /> },
  ]
  return (
    <div className="flex flex-col gap-5 p-4">
      <section className="overflow-hidden rounded-lg border border-line">
        <DataTable
          label="Versions"
          isInline
          columns={columns}
          rows={rows}
          hrefOf={({ version }) => `/agents/${agentId}/versions?from=${Math.max(1, version - 1)}&to=${version}`}
        />
        {versions.hasNextPage && (
          <Button
            kind="quiet"
            className="m-2"
            isBusy={versions.isFetchingNextPage}
            onClick={() => void versions.fetchNextPage()}
          >
            Older versions
          </Button>
        )}
      </section>
      <Comparison agentId={agentId} newest={newest} from={from} to={to} />
    </div>
  )
}

const Comparison = (props: { agentId: string; newest: number; from: number; to: number }) => {
  const { agentId, newest, from, to } = props
  const navigate = useNavigate()
  const isSame = from === to
  const diff = useQuery({ ...agentDiffQuery(agentId, from, to), enabled: !isSame })
  const choices = Array.from({ length: Math.min(newest, 1_000) }, (_, n) => String(newest - n))
  const show = (next: { from: number; to: number }) =>
    void navigate({ to: '/agents/$agentId/versions', params: { agentId }, search: next, replace: true })
  const select = (label: string, value: number, onChange: (value: number) => void) => (
    <FilterSelect
      label={label}
      value={String(value)}
      options={[...new Set([...choices, String(value)])].map((each) => [each, `Version ${each}`])}
      onChange={(each) => onChange(Number(each))}
    />
  )
  return (
    <section aria-labelledby="comparison-title">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <h2 id="comparison-title" className="font-semibold">
          What changed
        </h2>
        {select('From version', from, (value) => show({ from: value, to }))}
        <span aria-hidden>→</span>
        {select('To version', to, (value) => show({ from, to: value }))}
      </div>
      {isSame && (
        <p className="text-ink-2">{newest === 1 ? 'This is the only version.' : 'Choose two different versions.'}</p>
      )}
      {!isSame && diff.isPending && <Skeleton rows={3} />}
      {diff.error && (
        <Problem title="The difference: not loaded" error={diff.error} onRetry={() => void diff.refetch()} />
      )}
      {diff.data && !isSame && (
        <>
          {diff.data.changes.length === 0 && <p className="text-ink-2">These versions are equal.</p>}
          <ChangeList
            label={`Changes from version ${from} to version ${to}`}
            changes={diff.data.changes.map(({ path, old, new: next }) => ({ path, old, new: next }))}
          />
        </>
      )}
    </section>
  )
}
