import type { Event, EventType } from '@agent-run-service/sdk'
import type { Command } from 'commander'
import { cliBounds } from '../bounds.ts'
import { withExamples } from '../describe.ts'
import { type PageOptions, pageOf, tellPage, withPaging } from '../list.ts'
import { localTime, readMoment, timeOfDay } from '../moment.ts'
import { acting, type Session } from '../session.ts'
import { escapeUnfit, oneLine } from '../text.ts'

export const addEvents = (program: Command): void => {
  const events = withExamples(program.command('events').description('list, show and stream events'), 'ars events list')
  withExamples(
    withPaging(events.command('list').description('list events, newest first'))
      .option('--type <list>', 'only these types, separated by commas')
      .option('--since <time>', 'only events since this time: 2h, 7d or a date and time')
      .action(acting(list)),
    'ars events list --type run.failed --since 1d',
  )
  withExamples(
    events.command('get <id>').description('show one event').action(acting(get)),
    'ars events get evt_01m7ek7549ej9s2d1m7z8n0ycp',
  )
  withExamples(
    events
      .command('stream')
      .description('show events as they happen, until Ctrl-C')
      .option('--type <list>', 'only these types, separated by commas')
      .option('--since <time>', 'start in the past: 10m, 2h or a date and time')
      .action(acting(stream)),
    'ars events stream --type run.completed,run.failed --json',
  )
}

type ListOptions = PageOptions & { type?: string; since?: string }

const list = async ({ terminal, client, signal }: Session, options: ListOptions) => {
  const { type, since } = options
  const filters = {
    ...pageOf(options),
    ...(type === undefined ? {} : { type: typesIn(type) }),
    ...(since === undefined ? {} : { created_after: readMoment(since, Date.now()) }),
  }
  await tellPage(terminal, await client().events.list(filters, { signal }), {
    all: options.all,
    columns: {
      ID: ({ id }) => id,
      CREATED: ({ created_at }) => localTime(created_at),
      TYPE: ({ type }) => type,
      ABOUT: subjectOf,
    },
    nothing: 'No events found.',
  })
  return undefined
}

const get = async ({ terminal, client, signal }: Session, id: string) => {
  const event = await client().events.get(id, { signal })
  terminal.result(event, () => escapeUnfit(JSON.stringify(event, null, 2)))
  return undefined
}

const stream = async ({ terminal, client, signal }: Session, { type, since }: { type?: string; since?: string }) => {
  const filters = {
    ...(type === undefined ? {} : { type: typesIn(type) }),
    ...(since === undefined ? {} : { since: readMoment(since, Date.now()) }),
  }
  try {
    for await (const event of client().events.watch(filters, { signal })) {
      terminal.each(
        event,
        () => `${timeOfDay(event.created_at)}  ${event.type.padEnd(20)}  ${event.id}  ${subjectOf(event)}`,
      )
    }
  } catch (error) {
    // Ctrl-C ends the stream.
    if (!signal.aborted) throw error
  }
  return undefined
}

/** The service checks the names, because it can know more of them. */
const typesIn = (list: string): Exclude<EventType, 'test'>[] => list.split(',') as Exclude<EventType, 'test'>[]

/** The id of the resource of the event, if it has one. */
const subjectOf = ({ data }: Event): string => {
  const { id: own, agent_id: agent, message } = data as Record<string, unknown>
  const id = own ?? agent ?? message
  return typeof id === 'string' ? oneLine(id, cliBounds.tableCell.chars) : ''
}
