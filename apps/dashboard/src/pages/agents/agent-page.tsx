import type { Agent } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { agentRunsQuery, agentStatsQuery } from '../../api/agents.ts'
import { catalogEntryQuery } from '../../api/catalog.ts'
import { apiAddress } from '../../api/client.ts'
import { runSamples } from '../../snippets.ts'
import { CodeTabs } from '../../ui/code-tabs.tsx'
import { DetailList } from '../../ui/detail-list.tsx'
import { count, duration, usd } from '../../ui/format.ts'
import { Id } from '../../ui/id.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { PolicyLink } from '../runs/policy-link.tsx'
import { AgentFrame } from './agent-frame.tsx'
import { AgentRuns } from './agent-runs.tsx'
import { CatalogUpdate } from './catalog-update.tsx'
import { exampleOf } from './schema-example.ts'
import { Traffic } from './traffic.tsx'

export const AgentPage = () => {
  const { agentId } = useParams({ from: '/app/agents/$agentId' })
  return <AgentFrame agentId={agentId}>{(agent) => <Overview agent={agent} />}</AgentFrame>
}

const Overview = ({ agent }: { agent: Agent }) => (
  <>
    <CatalogUpdate agent={agent} />
    <div className="grid grid-cols-1 gap-x-6 gap-y-5 p-4 lg:grid-cols-[minmax(0,1fr)_24rem]">
      <div className="flex min-w-0 flex-col gap-5">
        <Traffic agentId={agent.id} />
        <LastRuns agent={agent} />
        <HowToCall agent={agent} />
      </div>
      <div className="flex min-w-0 flex-col gap-5">
        <Facts agent={agent} />
      </div>
    </div>
  </>
)

const Part = ({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) => (
  <section>
    <div className="mb-2 flex items-center gap-3">
      <h2 className="font-semibold">{title}</h2>
      <span className="ms-auto">{action}</span>
    </div>
    {children}
  </section>
)

const LastRuns = ({ agent }: { agent: Agent }) => {
  const runs = useQuery(agentRunsQuery(agent.id))
  return (
    <Part
      title="Last runs"
      action={
        <Link to="/runs" search={{ agent_id: agent.id }} className="text-accent underline">
          All runs
        </Link>
      }
    >
      <AgentRuns query={runs} />
    </Part>
  )
}

const HowToCall = ({ agent }: { agent: Agent }) => {
  const { data: entry } = useQuery({
    ...catalogEntryQuery(agent.catalog_key ?? ''),
    enabled: agent.catalog_key !== null,
  })
  const input = entry?.sample_input ?? exampleOf(agent.input_schema)
  return (
    <Part title="How to call it">
      <CodeTabs
        label="Language"
        samples={runSamples({ address: apiAddress, request: { agent_id: agent.id, input } })}
      />
      <p className="mt-1 text-ink-3 text-xs">
        Programs call with an API key. Make one in{' '}
        <Link to="/settings/api-keys" className="text-accent underline">
          Settings, API keys
        </Link>
        .
      </p>
    </Part>
  )
}

const Facts = ({ agent }: { agent: Agent }) => {
  const { data: stats } = useQuery(agentStatsQuery(agent.id))
  const { config, limits } = agent
  const tools = Array.isArray(config.tools) ? config.tools.length : 0
  const active = stats && Object.values(stats.runs).reduce((sum, each) => sum + each, 0)
  return (
    <>
      <Part title="Now">
        <DetailList
          items={[
            ['Active runs', active === undefined ? '–' : `${count(active)}${stats?.is_capped ? ' or more' : ''}`],
            ['Queued', count(stats?.runs.queued)],
            ['Running', count(stats?.runs.running)],
            ['Need a decision', count(stats?.runs.requires_action)],
          ]}
        />
      </Part>
      <Part title="Agent">
        <DetailList
          items={[
            ['Id', <Id key="id" id={agent.id} />],
            ['Description', agent.description ?? '–'],
            ...(agent.kind === 'remote'
              ? [
                  [
                    'Endpoint',
                    <code key="url" className="break-all font-mono text-xs">
                      {String(config.url)}
                    </code>,
                  ] as const,
                ]
              : [
                  [
                    'Model',
                    <code key="model" className="font-mono text-xs">
                      {String(config.model)}
                    </code>,
                  ] as const,
                  ['Instructions', `${count(String(config.instructions ?? '').length)} characters`] as const,
                  ['Connectors', tools === 0 ? 'None' : count(tools)] as const,
                ]),
            ['Policies', <AgentPolicies key="policies" ids={agent.policies} />],
            ['Source', wordOf(words.agentSources, agent.source)],
            ['Created', <Time key="created" at={agent.created_at} />],
            ['Updated', <Time key="updated" at={agent.updated_at} />],
          ]}
        />
      </Part>
      <Part title="Limits of a run">
        <DetailList
          items={[
            ['Timeout', limits.timeout_seconds === null ? 'Plan' : duration(limits.timeout_seconds * 1_000)],
            ['Steps', limits.max_steps === null ? 'Plan' : count(limits.max_steps)],
            ['Budget', limits.budget_usd === null ? 'None' : usd(limits.budget_usd)],
            ['Runs at once', limits.max_concurrent_runs === null ? 'Plan' : count(limits.max_concurrent_runs)],
            ['Approvals', approvalWords(limits.approval)],
          ]}
        />
      </Part>
      {Object.keys(agent.metadata).length > 0 && (
        <Part title="Metadata">
          <JsonView value={agent.metadata} name="metadata" />
        </Part>
      )}
    </>
  )
}

/** Policies of the organisation and of API keys also judge its runs; they are not listed here. */
const AgentPolicies = ({ ids }: { ids: readonly string[] }) =>
  ids.length === 0 ? (
    'None for this agent only'
  ) : (
    <span className="flex flex-wrap gap-x-3">
      {ids.map((id) => (
        <PolicyLink key={id} id={id} />
      ))}
    </span>
  )

const approvalWords = (approval: Agent['limits']['approval']): string => {
  if (approval === null) return 'Anyone with the permission'
  const who = approval.by === 'person' ? 'A person, not an API key' : 'Anyone with the permission'
  return approval.not_starter ? `${who}, but not who started the run` : who
}
