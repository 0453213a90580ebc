import type { Agent } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useRef } from 'react'
import { agentQuery } from '../../api/agents.ts'
import { MissingState } from '../../shell/missing-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { AgentEditor } from './agent-editor.tsx'

export const AgentEditPage = () => {
  const { agentId } = useParams({ from: '/app/agents/$agentId/edit' })
  const { data: agent, error, refetch } = useQuery(agentQuery(agentId))
  // The edit is based on the agent that was first seen. A newer one is offered, never put under the hands.
  const first = useRef<Agent>(undefined)
  if (first.current?.id !== agentId) first.current = agent
  if (!first.current) {
    if (!error) return <Skeleton />
    return <MissingState what="Agent" id={agentId} error={error} onRetry={() => void refetch()} />
  }
  return <AgentEditor key={agentId} seen={first.current} newest={agent ?? first.current} />
}
