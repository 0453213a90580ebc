import { type EventsListType, eventsListTypes } from '@agent-run-service/sdk'

const titles: Readonly<Record<string, string>> = {
  run: 'Runs',
  deployment: 'Releases',
  agent: 'Agents',
  alert: 'Alerts',
  pipeline: 'Pipelines',
  webhook: 'Webhooks',
  connector: 'Connectors',
  api_key: 'API keys',
  budget: 'Budgets',
  policy: 'Policies',
  schedule: 'Schedules',
  batch: 'Batches',
}

export type EventGroup = { title: string; types: readonly EventsListType[] }

/** The types that a webhook can subscribe to, by what they are about. */
export const eventGroups: readonly EventGroup[] = Object.entries(
  Object.groupBy(eventsListTypes, (type) => type.split('.')[0] ?? type),
).map(([subject, types = []]) => ({ title: titles[subject] ?? subject, types }))

export const allEvents = '*'

/** The choice after one box was clicked. `*` stands alone: it includes all others. */
export const toggleEvent = (chosen: readonly string[], event: string): readonly string[] => {
  if (event === allEvents) return chosen.includes(allEvents) ? [] : [allEvents]
  const rest = chosen.filter((each) => each !== allEvents)
  return rest.includes(event) ? rest.filter((each) => each !== event) : [...rest, event]
}

/** All types of a group, or none of them if all were chosen. */
export const toggleGroup = (chosen: readonly string[], { types }: EventGroup): readonly string[] => {
  const rest = chosen.filter((each) => each !== allEvents && !types.some((type) => type === each))
  return types.every((type) => chosen.includes(type)) ? rest : [...rest, ...types]
}

/** Whether a webhook with this subscription receives events of the type. */
export const isSubscribed = (events: readonly string[], type: string): boolean =>
  events.includes(allEvents) || events.includes(type)
