import { z } from 'zod'
import { isEventType, eventTypeNames as names } from './event-data.ts'
import { EventId } from './ids.ts'
import { listOf, moment, Paging } from './list.ts'
import { operation } from './operation.ts'

/** The envelope: what a webhook receives, what the stream carries, what a look-up answers. */
export const Event = z
  .object({
    id: EventId,
    type: z.enum(names),
    created_at: z.iso.datetime(),
    data: z.record(z.string(), z.unknown()).meta({ description: 'By type; see the webhooks of this document.' }),
  })
  .meta({ id: 'Event' })

export type Event = z.infer<typeof Event>

export const EventList = listOf(Event, 'EventList')

const typeList = z
  .string()
  .refine((list) => list.split(',').every(isEventType), `must be one or several of ${names.join(', ')}`)
  .transform((list) => list.split(',').filter(isEventType))
  .meta({
    type: 'string',
    pattern: `^(${names.join('|').replaceAll('.', '\\.')})(,(${names.join('|').replaceAll('.', '\\.')}))*$`,
    description: 'One or several types, with commas between.',
  })

export const events = {
  list: operation({
    method: 'GET',
    path: '/events',
    summary: 'List events',
    description:
      'What was told, or would have been told, to webhooks. Tests are left out. A page of large events ends before `limit`; ' +
      '`has_more` says whether others follow.',
    scope: 'events:read',
    status: 200,
    input: z.strictObject({
      ...Paging(EventId),
      type: typeList.optional(),
      created_after: moment.optional(),
      created_before: moment.optional(),
    }),
    output: EventList,
    errors: ['not_found', 'input_invalid'],
  }),
  get: operation({
    method: 'GET',
    path: '/events/{id}',
    summary: 'Get an event by id',
    scope: 'events:read',
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
      'For programs without a public address. Each frame is one event: `id` is its id, `event` its type, `data` the envelope. ' +
      'A stream that breaks goes on after the event that `Last-Event-ID` or `after` names, and loses none; `since` begins in ' +
      'the past. Without any of them it begins now.',
    scope: 'events:read',
    status: 200,
    input: z.strictObject({
      type: typeList.optional(),
      after: EventId.optional().meta({ description: 'Events that follow this one; `Last-Event-ID` says the same.' }),
      since: moment.optional().meta({ description: 'Events since then.' }),
    }),
    output: Event,
    errors: ['not_found'],
    streams: true,
  }),
} as const
