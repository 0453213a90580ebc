import { type EventType, eventSample, eventTypes, isPlannedEvent } from '@ars/contract'
import type { z } from 'zod'
import { nameOf } from './components.ts'
import { sampleEnvelope } from './event-sample.ts'
import { pageHead, table } from './markdown.ts'

/** The events page: when each type occurs, its data and a sample. */
export const eventsPage = (): string => {
  const types = Object.keys(eventTypes) as EventType[]
  const rows = types.map((type) => [`[\`${type}\`](#${anchorOf(type)})`, whenOf(type), dataOf(type)])
  const sections = types.map((type) => {
    const sample = JSON.stringify(sampleEnvelope(type, eventSample(type)), null, 2)
    return [
      `## ${type}`,
      `${whenOf(type)}.`,
      `\`data\` contains ${fieldsOf(type)
        .map((field) => `\`${field}\``)
        .join(', ')}.`,
      `\`\`\`json\n${sample}\n\`\`\``,
    ].join('\n\n')
  })
  return `${pageHead('Events', '`packages/contract/src/event-data.ts`')}
An event is \`{"id","type","created_at","data"}\`, the same whether it is sent to a webhook, read by \`GET /events\` or streamed
by \`GET /events/stream\`. New types and fields can be added: ignore unknown ones. The ids in the samples refer to nothing.

${table(['Type', 'When', 'Data'], rows)}

${sections.join('\n\n')}
`
}

const whenOf = (type: EventType): string =>
  isPlannedEvent(type) ? `Planned, not sent yet. ${eventTypes[type].when}` : eventTypes[type].when

const schemaOf = (type: EventType): z.ZodObject => eventTypes[type].data

const dataOf = (type: EventType): string => `\`${nameOf(schemaOf(type)) ?? 'object'}\``

const fieldsOf = (type: EventType): string[] => Object.keys(schemaOf(type).shape)

/** The anchor of a heading, as on GitHub. */
const anchorOf = (heading: string): string => heading.replaceAll('.', '')
