import type { Agent } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { agentQuery } from '../../api/agents.ts'
import { useReason } from '../../session.ts'
import { MissingState } from '../../shell/missing-state.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { RotateSecret } from './rotate-secret.tsx'
import { useArchiving } from './use-archiving.tsx'

/** Header, actions and tabs of the pages of one agent. */
export const AgentFrame = ({
  agentId,
  part,
  children,
}: {
  agentId: string
  /** The tab in the title of the browser's tab. */
  part?: string
  children(agent: Agent): ReactNode
}) => {
  const agent = useQuery(agentQuery(agentId))
  if (agent.isPending) return <Skeleton />
  if (!agent.data) {
    return <MissingState what="Agent" id={agentId} error={agent.error} onRetry={() => void agent.refetch()} />
  }
  return (
    <>
      <AgentHead agent={agent.data} part={part} />
      {children(agent.data)}
    </>
  )
}

const AgentHead = ({ agent, part }: { agent: Agent; part: string | undefined }) => {
  const navigate = useNavigate()
  const writing = useReason('agents:write')
  const running = useReason('runs:write')
  const archiving = useArchiving()
  const [isRotating, setIsRotating] = useState(false)
  const isArchived = agent.status === 'archived'
  const params = { agentId: agent.id }
  return (
    <>
      <PageHeader
        title={agent.name}
        tabTitle={part === undefined ? agent.name : `${agent.name}: ${part}`}
        trail={<Link to="/agents">Agents</Link>}
      >
        <Badge label={wordOf(words.agentKinds, agent.kind)} tone="plain" />
        <Button
          reason={isArchived ? 'An archived agent takes no runs.' : running}
          onClick={() => void navigate({ to: '/playground', search: { agent_id: agent.id } })}
        >
          Try
        </Button>
        <Button
          kind="primary"
          reason={isArchived ? 'Unarchive it first.' : writing}
          onClick={() => void navigate({ to: '/agents/$agentId/edit', params })}
        >
          Edit
        </Button>
        <Menu
          label="More actions"
          items={[
            ...(agent.kind === 'remote'
              ? [{ label: 'Rotate signing secret', reason: writing, onSelect: () => setIsRotating(true) }]
              : []),
            archiving.itemOf(agent),
          ]}
        />
      </PageHeader>
      <Tabs
        label="Agent"
        tabs={[
          { label: 'Overview', to: '/agents/$agentId', params },
          { label: 'Versions', to: '/agents/$agentId/versions', params },
          { label: 'Releases', to: '/agents/$agentId/releases', params },
        ]}
      />
      {isArchived && (
        <Banner tone="warn">
          Archived <Time at={agent.archived_at} />. It accepts no runs and no changes.
        </Banner>
      )}
      {archiving.dialog}
      <RotateSecret agent={agent} isOpen={isRotating} onClose={() => setIsRotating(false)} />
    </>
  )
}
