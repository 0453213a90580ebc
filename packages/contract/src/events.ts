import { z } from 'zod'
import { type EventType, eventTypes, eventTypeNames as names, runEventTypes, subscribable } from './event-data.ts'
import { EventId } from './ids.ts'
import { commaList, createdBetween, listOf, moment, Paging } from './list.ts'
import { operation } from './operation.ts'

export type Event = { id: EventId; type: EventType; created_at: string; data: Record<string, unknown> }

/** `run.completed` → `RunCompletedEvent` */
const nameOf = (type: EventType): string =>
  `${type.replace(/(^|[._])([a-z])/g, (_, __, letter: string) => letter.toUpperCase())}Event`

const envelopeOf = (type: EventType) =>
  z
    .object({
      id: EventId,
      type: z.literal(type).meta({ description: 'The type of the event.' }),
      created_at: z.iso.datetime().meta({ description: 'When it happened.' }),
      data: eventTypes[type].data,
    })
    .meta({ id: nameOf(type), description: `${eventTypes[type].when}.` })

const envelopes = names.map(envelopeOf) as [ReturnType<typeof envelopeOf>, ...ReturnType<typeof envelopeOf>[]]

/** The envelope of an event, equal in webhooks, streams and responses. In our own code its data is any object. */
export const Event = z.discriminatedUnion('type', envelopes).meta({
  id: 'Event',
  description: 'An event; `data` depends on `type`. New types can be added: name the types that you want.',
}) as unknown as z.ZodType<Event, Event>

/** The schema of each event, by its type. */
export const eventEnvelopes = Object.fromEntries(names.map((type, n) => [type, envelopes[n] as z.ZodType])) as Readonly<
  Record<EventType, z.ZodType>
>

export const EventList = listOf(Event, 'EventList')

// A filter for test events would match nothing.
const typeList = commaList(subscribable as readonly EventType[], 'One or more types, separated by commas.')

const conditionalScopes = [{ scope: 'runs:read', field: 'type', values: runEventTypes }] as const

export const events = {
  list: operation({
    method: 'GET',
    path: '/events',
    summary: 'List events',
    description:
      'Lists the events that webhooks receive, without test events. A page of large events can contain fewer than `limit`; ' +
      '`has_more` says whether more follow. Without `runs:read` it leaves out the events that hold data of runs.',
    scope: 'events:read',
    names: 'organisation',
    conditionalScopes,
    status: 200,
    input: z.strictObject({
      ...Paging(EventId),
      type: typeList.optional(),
      ...createdBetween(),
    }),
    output: EventList,
    errors: ['not_found'],
  }),
  get: operation({
    method: 'GET',
    path: '/events/{id}',
    summary: 'Get an event by id',
    scope: 'events:read',
    names: 'organisation',
    storedScopes: [{ scope: 'runs:read', when: 'event_of_run' }],
    status: 200,
    input: z.strictObject({ id: EventId }),
    output: Event,
    errors: ['not_found'],
  }),
  watch: operation({
    method: 'GET',
    path: '/events/stream',
    summary: 'Stream events as they happen',
    description:
      'For programs without a public endpoint. Each frame is one event: `id` is its id, `event` its type, `data` the envelope. ' +
      'To resume without gaps, send the last event id in `Last-Event-ID` or `after`. `since` starts in the past. Without these, ' +
      'the stream starts now. Without `runs:read` the stream leaves out the events that hold data of runs.',
    scope: 'events:read',
    names: 'organisation',
    conditionalScopes,
    status: 200,
    input: z.strictObject({
      type: typeList.optional(),
      after: EventId.optional().meta({
        description: 'Returns the events after this id. Equivalent to the header `Last-Event-ID`.',
      }),
      since: moment.optional().meta({ description: 'Returns events since this time.' }),
    }),
    output: Event,
    errors: ['not_found'],
    streams: true,
  }),
} as const
