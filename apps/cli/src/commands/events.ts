import type { Event, EventType } from '@agent-run-service/sdk'
import type { Command } from 'commander'
import { cliBounds } from '../bounds.ts'
import { withExamples } from '../describe.ts'
import { readMoment, timeOfDay } from '../moment.ts'
import { acting, type Session } from '../session.ts'
import { oneLine } from '../text.ts'

export const addEvents = (program: Command): void => {
  const events = withExamples(program.command('events').description('list, show and stream events'), 'ars events list')
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
export const subjectOf = ({ data }: Event): string => {
  const { id: own, agent_id: agent, message } = data as Record<string, unknown>
  const id = own ?? agent ?? message
  return typeof id === 'string' ? oneLine(id, cliBounds.tableCell.chars) : ''
}
