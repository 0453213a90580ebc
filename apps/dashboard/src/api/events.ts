import type { Event, EventsListParams } from '@agent-run-service/sdk'
import { queryOptions } from '@tanstack/react-query'
import { absoluteRange, type RangeSearch } from '../ui/range.ts'
import { client } from './client.ts'
import { type List, useList } from './list.ts'

export const useEventList = (type: EventsListParams['type'], range: RangeSearch): List<Event> =>
  useList({
    queryKey: ['events', 'list', type, range],
    fetchPage: (cursor) =>
      client.events.list({ ...(type && { type }), ...absoluteRange(range, Date.now()), ...cursor }),
  })

export const eventQuery = (id: string) =>
  queryOptions({
    queryKey: ['events', id],
    queryFn: async () => client.events.get(id),
    // An event never changes.
    staleTime: Number.POSITIVE_INFINITY,
  })
