import type { EventsListType } from '@agent-run-service/sdk'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useMay } from '../session.ts'
import { client } from './client.ts'

/** Which queries each event makes old. Never `run.completed`: it carries whole outputs. */
const stale = {
  'run.requires_action': [['runs', 'waiting-count'], ['approvals']],
  'deployment.created': [['deployments'], ['agents']],
  'deployment.rollback': [['deployments'], ['agents']],
  'agent.updated': [['agents']],
  'connector.tool_changed': [['connectors']],
  'webhook.disabled': [['webhooks']],
  'alert.triggered': [['alerts'], ['alert-rules']],
  'alert.resolved': [['alerts'], ['alert-rules']],
  'policy.updated': [['policies'], ['agents']],
  'schedule.paused': [['schedules']],
  'batch.completed': [['batches']],
} as const satisfies Partial<Record<EventsListType, readonly (readonly string[])[]>>

/** One stream of events for each tab. While the tab is hidden it is closed. */
export const useLiveEvents = (): void => {
  const queryClient = useQueryClient()
  const isAllowed = useMay('events:read')
  useEffect(() => {
    if (!isAllowed) return
    let closing: AbortController | undefined
    const turn = () => {
      closing?.abort()
      closing = undefined
      if (document.visibilityState !== 'visible') return
      closing = new AbortController()
      void follow(queryClient, closing.signal)
    }
    turn()
    document.addEventListener('visibilitychange', turn)
    return () => {
      closing?.abort()
      document.removeEventListener('visibilitychange', turn)
    }
  }, [isAllowed, queryClient])
}

const follow = async (queryClient: QueryClient, signal: AbortSignal): Promise<void> => {
  const type = Object.keys(stale) as (keyof typeof stale)[]
  try {
    for await (const event of client.events.watch({ type }, { signal })) {
      for (const queryKey of stale[event.type as keyof typeof stale] ?? [])
        void queryClient.invalidateQueries({ queryKey })
    }
  } catch {
    // The polls of the pages go on without it.
  }
}
