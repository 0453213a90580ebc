import type { Bound } from '@ars/platform/bounds'
import { systemClock } from '@ars/platform/clock'
import { createBatcher } from '@ars/platform/db/batcher'
import type { Database } from '@ars/platform/db/database'
import { createIdMaker } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { createSemaphore } from '@ars/platform/semaphore'
import { fakeClock } from '@ars/testkit/clock'
import { expect, test } from 'vitest'
import { accessBounds } from '../src/access/bounds.ts'
import { createCallerCache } from '../src/access/caller-cache.service.ts'
import { createKeyUses } from '../src/access/key-use.service.ts'
import { auditBounds } from '../src/audit/bounds.ts'
import { createRefusalNotes } from '../src/audit/refusal-note.service.ts'
import { batchesBounds } from '../src/batches/bounds.ts'
import { connectorsBounds } from '../src/connectors/bounds.ts'
import { messagesIn } from '../src/connectors/mcp-message.ts'
import { eventsBounds } from '../src/events/bounds.ts'
import { guardrailsBounds } from '../src/guardrails/bounds.ts'
import { findCards } from '../src/guardrails/check/card-number.ts'
import { findIbans } from '../src/guardrails/check/iban.ts'
import { addSamples, samplesPerRule } from '../src/guardrails/trial/tally.ts'
import { limitsBounds } from '../src/limits/bounds.ts'
import { createBucketMemory } from '../src/limits/bucket-memory.ts'
import { mailBounds } from '../src/mail/bounds.ts'
import { hintOf, slackMessage } from '../src/mail/destination.ts'
import { layOut } from '../src/mail/layout.ts'
import { peopleBounds } from '../src/people/bounds.ts'
import { passwordRefusal } from '../src/people/password.ts'
import { pipelinesBounds } from '../src/pipelines/bounds.ts'
import { typeOfSchema } from '../src/pipelines/value-type.ts'
import { retentionBounds } from '../src/retention/bounds.ts'
import { missingPartitions } from '../src/retention/partition.ts'
import { runsBounds } from '../src/runs/bounds.ts'
import { createDispatcher } from '../src/runs/dispatch/dispatcher.service.ts'
import { schemasBounds } from '../src/schemas/bounds.ts'
import { joinPath } from '../src/schemas/schema-fault.ts'
import { usageBounds } from '../src/usage/bounds.ts'
import { createWorkUses } from '../src/usage/work-use.sweep.ts'
import { webhooksBounds } from '../src/webhooks/bounds.ts'

const long = 'x'.repeat(100_000)
const log = createLog({ level: 'silent' })
const xsIn = (text: string): number => (text.match(/x/g) ?? []).length

/** A database that keeps what its statements were given, and answers nothing. */
const listening = () => {
  const given: (readonly unknown[])[] = []
  const once = (_: unknown, { values }: { values: readonly unknown[] }) => Promise.resolve(void given.push(values))
  return { given, db: { once } as unknown as Database }
}

test('texts of customers in mails and messages are cut to their rows', () => {
  const letter = { subject: 's', paragraphs: [], footer: '', action: { label: 'l', url: 'https://a.test' } }
  expect(xsIn(layOut({ ...letter, facts: [['name', long]] }).text)).toBeLessThanOrEqual(mailBounds.value.chars)
  const message = JSON.parse(slackMessage({ ...letter, facts: [['name', long]] })) as { text: string }
  expect(xsIn(message.text)).toBe(mailBounds.message.chars)
  expect(
    hintOf(`https://${'x'.repeat(60)}.${'x'.repeat(60)}.${'x'.repeat(60)}.${'x'.repeat(60)}.example/abcd`),
  ).toHaveLength(mailBounds.urlHint.chars)
})

test('a path in a fault is cut, and a schema is typed as deep as its row says', () => {
  expect(joinPath([long])).toBe(`${'x'.repeat(schemasBounds.path.chars)}…`)
  const nested = (depth: number): object =>
    depth === 0 ? { type: 'boolean' } : { type: 'array', items: nested(depth - 1) }
  const deepest = (depth: number) => JSON.stringify(typeOfSchema(nested(depth) as never)).includes('bool')
  const { count } = pipelinesBounds.typedDepth
  expect([deepest(count - 1), deepest(count)]).toEqual([true, false])
})

test('partitions are days up to the retention of their row, then weeks', () => {
  const lengthOf = (days: number) => {
    const [last] = missingPartitions({ today: 20_000, parents: ['runs'], partitions: [] }, days).slice(-1)
    return (last?.endDay ?? 0) - (last?.firstDay ?? 0)
  }
  const { days } = retentionBounds.dailyPartitions
  expect(lengthOf(days)).toBe(1)
  expect(lengthOf(days + 1)).toBeGreaterThan(1)
})

test('a weak word is found behind as many signs as its row says', () => {
  const refusal = (signs: number) =>
    passwordRefusal(`corr3ct${'1234567890123'.slice(0, signs)}`, '', (text) => text === 'corr3ct')
  const weak = (signs: number) =>
    passwordRefusal(`password${'31415926535897932'.slice(0, signs)}`, 'a@b.example', (text) => text === 'password')
  const { count } = peopleBounds.decoration
  expect(refusal(0)).not.toBeNull()
  expect(weak(count)).toBe('This password is too easy to guess')
  expect(weak(count + 1)).toBeNull()
})

test('changes of callers beyond the row of a second are ignored', async () => {
  const heard: ((uuid: string) => void)[] = []
  const pubSub = { subscribe: async (_: string, on: (uuid: string) => void) => void heard.push(on) }
  const cache = createCallerCache({ clock: fakeClock(), pubSub: pubSub as never })
  const found = (keyId: string) => ({ dependsOn: [keyId], keyId, livesMs: null, caller: {} }) as never
  await cache.ask('h', () => Promise.resolve(found('key')))
  for (let n = 0; n < accessBounds.callerChangesHeard.count; n++) heard[0]?.('another')
  heard[0]?.('key')
  expect(cache.find('h')).not.toBeNull()
})

test('the use of a key beyond the row of one interval is not noted', async () => {
  const { given, db } = listening()
  const uses = createKeyUses({ auth: db, clock: fakeClock(), log, everyMs: 3_600_000 })
  const { count } = accessBounds.keyUsesNoted
  for (let n = 0; n <= count; n++) uses.note(`key ${n}`)
  await uses.close()
  const noted = given.flat(2).filter((value) => typeof value === 'string' && value.startsWith('key '))
  expect(noted).toHaveLength(count)
  expect(noted).not.toContain(`key ${count}`)
})

test('refusals are noted by few statements at once, and of a bounded number in a minute', async () => {
  let open = 0
  const end = Promise.withResolvers<void>()
  const app = { transaction: () => end.promise.finally(() => open--).then(() => undefined, void open++) }
  const notes = createRefusalNotes({ app: app as never, clock: fakeClock(), newId: createIdMaker(systemClock), log })
  const caller = (n: number) =>
    ({ org: `org ${n}`, actor: { type: 'key', id: 'key_1' }, address: null, requestId: null }) as never
  for (let n = 0; n < 10; n++) notes.note(caller(n), { operation: 'a.b', message: 'm' })
  expect(open).toBe(auditBounds.notesUnderWay.count)
  end.resolve()
  await notes.close()
})

test('turns of more pairs of organisation and queue than their row says are not counted', async () => {
  const { given, db } = listening()
  const uses = createWorkUses({ system: db })
  const { count } = usageBounds.workUses
  for (let n = 0; n <= count; n++) uses.onTurn('rows', 'done', { org: `org ${n}`, turnMs: 1 } as never)
  await uses.sweep.run()
  const counted = JSON.stringify(given).match(/org \d+/g) ?? []
  expect(counted).toHaveLength(count)
})

test('beyond the buckets of its row the one that was used least lately is forgotten', () => {
  const memory = createBucketMemory()
  const at = (n: number) => memory.get({ id: `b${n}`, requestsPerMinute: 1, burst: 1 })
  const [first, second] = [at(0), at(1)]
  for (let n = 2; n < limitsBounds.bucketsKnown.count; n++) at(n)
  expect(at(0)).toBe(first)
  at(limitsBounds.bucketsKnown.count)
  expect(at(0)).toBe(first)
  expect(at(1)).not.toBe(second)
})

test('rules of a trial share the samples of their row', () => {
  const { count } = guardrailsBounds.trialSamples
  const sampleOf = (rule: string) => ({ rule }) as never
  expect(samplesPerRule(Array.from({ length: 2 * count }, (_, n) => ({ id: `r${n}` })))).toBe(1)
  const many = Array.from({ length: 2 * count }, (_, n) => sampleOf(`r${n}`))
  expect(addSamples([], many, 1)).toHaveLength(count)
  expect(addSamples([], [sampleOf('a'), sampleOf('a')], 1)).toHaveLength(1)
})

test('no found number has more characters than its row says', () => {
  const grouped = (text: string, by: string) => text.replaceAll(/(.{4})(?=.)/g, `$1${by}`)
  const [card, account] = ['4111111111111111', 'MT84MALT011000012345MTLCAST001S']
  for (const [found, text, chars] of [
    [findCards(grouped(card, ' ')), grouped(card, ' '), guardrailsBounds.cardNumber.chars],
    [findIbans(grouped(account, ' ')), grouped(account, ' '), guardrailsBounds.iban.chars],
  ] as const) {
    expect([...found]).toHaveLength(1)
    expect(text.length).toBeLessThanOrEqual(chars)
  }
  expect([...findIbans(grouped(account, '  '))]).toEqual([])
})

const batches: readonly (readonly [string, Bound, Bound | undefined])[] = [
  ['accepted runs', runsBounds.acceptedTogether, runsBounds.acceptsOfOrganisation],
  ['results of steps', runsBounds.segmentStoresTogether, runsBounds.segmentStoresOfOrganisation],
  ['bodies of events', eventsBounds.bodiesTogether, eventsBounds.bodyReads],
  ['ends of deliveries', webhooksBounds.endsTogether, undefined],
]

test.each(batches)(
  '%s: the rows say how many share a statement, and how many statements run at once',
  async (_, together, atOnce) => {
    const [most, underWay] = [together.count ?? 0, atOnce?.count ?? 1]
    let [open, widest] = [0, 0]
    const sizes: number[] = []
    const share = createBatcher<number, number>({
      ...{ most, underWay },
      flush: async (_org, items) => {
        sizes.push(items.length)
        widest = Math.max(widest, ++open)
        await new Promise(setImmediate)
        open--
        return [...items]
      },
    })
    const numbers = Array.from({ length: 5 * most }, (_each, n) => n)
    expect(await Promise.all(numbers.map((n) => share('org', n)))).toEqual(numbers)
    expect([Math.max(...sizes), widest]).toEqual([most, underWay])
  },
)

test.each([
  ['runs of a pipeline run', pipelinesBounds.actsAtOnce.count],
  ['reads of event streams', eventsBounds.streamReads.count],
  ['starts of a batch', batchesBounds.startsAtOnce.count],
])('%s: as many as their row says go on at once', async (_, most) => {
  const inTurn = createSemaphore(most)
  let [open, widest] = [0, 0]
  const work = () =>
    inTurn(async () => {
      widest = Math.max(widest, ++open)
      await new Promise(setImmediate)
      open--
    })
  await Promise.all(Array.from({ length: 4 * most }, work))
  expect(widest).toBe(most)
})

test('a wake-up beyond those under way that its row allows is left to the relay', () => {
  let sent = 0
  const engine = { send: () => new Promise(() => void sent++) }
  const dispatcher = createDispatcher({ engine: engine as never, log })
  const segment = { org: 'o', run: 'r', segment: 1, epoch: 1 } as never
  for (let n = 0; n < runsBounds.sendsUnderWay.count + 100; n++) dispatcher.send(segment)
  expect(sent).toBe(runsBounds.sendsUnderWay.count)
})

test('a list of messages or of tools that is longer than its row is no answer', () => {
  const message = { jsonrpc: '2.0', method: 'ping', id: 1 }
  const read = (count: number) =>
    messagesIn(JSON.stringify(Array.from({ length: count }, () => message)), { maxListedTools: 1 })
  expect(read(connectorsBounds.messages.count)).toHaveLength(connectorsBounds.messages.count)
  expect(() => read(connectorsBounds.messages.count + 1)).toThrow(/more than 100 messages/)
  const maxListedTools = connectorsBounds.toolsOfConnector.count
  const tools = (count: number) => JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools: Array(count).fill({}) } })
  expect(messagesIn(tools(maxListedTools), { maxListedTools })).toHaveLength(1)
  expect(() => messagesIn(tools(maxListedTools + 1), { maxListedTools })).toThrow(/tools/)
})
