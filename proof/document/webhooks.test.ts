import { contract, eventTypes } from '@ars/contract'
import { findBreaks } from '@ars/tools/gen/breaking'
import { type RequestBody, resolve, type Schema } from '@ars/tools/gen/document'
import { buildDocument } from '@ars/tools/gen/openapi'
import { eventsPage } from '@ars/tools/gen/reference-events'
import { expect, test } from 'vitest'
import { put } from './breaking.fixture.ts'

const document = buildDocument(contract)

test('the document describes each event with a sample, and the headers once', () => {
  const { tags } = document as unknown as { tags: { name: string; description: string }[] }
  const words = tags.find(({ name }) => name === 'Webhook events')?.description
  for (const header of [
    'X-SERVICE-Signature',
    'X-SERVICE-Delivery',
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
    'X-SERVICE-Test: true',
  ])
    expect(words).toContain(`\`${header}\``)
  expect(Object.keys(document.webhooks ?? {})).toEqual(Object.keys(eventTypes))
  for (const [type, { post }] of Object.entries(document.webhooks ?? {})) {
    // Generators cannot write code for them.
    expect(post?.parameters).toBeUndefined()
    const { schema: reference, example } = resolve<RequestBody>(document, post?.requestBody ?? { content: {} }).content[
      'application/json'
    ] as {
      schema: Schema
      example: Record<string, unknown>
    }
    const schema = resolve<Schema>(document, reference)
    expect(Object.keys(example)).toEqual(['id', 'type', 'created_at', 'data'])
    expect([schema.properties?.type?.enum ?? [schema.properties?.type?.const], example.type]).toEqual([[type], type])
    const data = resolve<Schema>(document, schema.properties?.data ?? {})
    // Fields that only another form of the resource has, such as the previews of a summary, are not in an event.
    expect(data.required).toEqual(Object.keys(example.data as object))
  }
})

test('a document without events has no webhooks', () => {
  expect(buildDocument({ runs: contract.runs })).not.toHaveProperty('webhooks')
})

const after = (path: string, value: unknown): string[] => {
  const copy = structuredClone(document)
  put(path, value)(copy as unknown as Parameters<ReturnType<typeof put>>[0])
  return findBreaks(document, copy).map(({ sentence }) => sentence)
}

test.each([
  ['an event goes', 'webhooks test', undefined, 'The event test is gone.'],
  [
    'a field of its data goes',
    'components schemas RolledBackDeployment properties reason',
    undefined,
    'RolledBackDeployment in answers: `reason` is gone.',
  ],
  [
    'a field of the envelope changes its type',
    'components schemas TestEvent properties created_at',
    { type: 'integer' },
    'TestEvent in answers: `created_at` was string and is now integer.',
  ],
])('it is found when %s', (_, path, value, sentence) => {
  expect(after(path, value)).toContain(sentence)
})

test('nothing is found when an event is new, or gains a field', () => {
  expect(after('webhooks thing.happened', { post: { operationId: 'events.on.thing', responses: {} } })).toEqual([])
  expect(after('components schemas TestEvent properties more', { type: 'string' })).toEqual([])
})

test('the page of events has a heading and a sample for each type', () => {
  const page = eventsPage()
  for (const type of Object.keys(eventTypes)) {
    expect(page).toContain(`\n## ${type}\n`)
    expect(page).toContain(`"type": "${type}"`)
  }
})
