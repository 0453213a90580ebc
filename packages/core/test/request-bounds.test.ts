import { systemClock } from '@ars/platform/clock'
import { createIdMaker } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { testRequest } from '@ars/testkit/caller'
import { fakeClock } from '@ars/testkit/clock'
import { expect, onTestFinished, test, vi } from 'vitest'
import { connectorsBounds } from '../src/connectors/bounds.ts'
import { createMcpTransport } from '../src/connectors/mcp-transport.service.ts'
import { toolLimits } from '../src/connectors/tool-list.ts'
import { createListings } from '../src/connectors/tool-listing.service.ts'
import { guardrailsBounds } from '../src/guardrails/bounds.ts'
import { createTrialQueue } from '../src/guardrails/trial/trial-queue.service.ts'
import { mailBounds } from '../src/mail/bounds.ts'
import { createMailQueues } from '../src/mail/mail-post.service.ts'
import { pipelinesBounds } from '../src/pipelines/bounds.ts'
import { createActs } from '../src/pipelines/run/act.service.ts'
import { createPipelineStreams } from '../src/pipelines/run/pipeline-stream.service.ts'
import { scriptedDatabase } from './scripted-database.ts'

const log = createLog({ level: 'silent' })
const newId = createIdMaker(systemClock)
const org = '01890a5d-ac96-774b-bcce-b302099a8057'
const uuid = '01890a5d-ac96-774b-bcce-b302099a8058'
const nothing = {} as never
const turn = { signal: new AbortController().signal, mayGoOn: () => true, takeBytes: nothing }
const held = { org, id: uuid, claim: '1', tries: 0, lagMs: 0 }

/** A server of tools whose answers do not end. `taken`: how many chunks of 1 KiB were read of them. */
const endlessTools = () => {
  const asked: { deadlineMs?: number; maxBodyBytes?: number }[] = []
  const partings: { deadlineMs?: number }[] = []
  let taken = 0
  const chunk = new Uint8Array(1_024)
  const body = async function* () {
    for (;;) {
      taken++
      yield chunk
    }
  }
  const egress = {
    stream: async (request: object) => {
      asked.push(request)
      const headers = new Headers({ 'mcp-session-id': 'one', 'content-type': 'text/plain' })
      return { status: 202, headers, remoteAddress: '192.0.2.1', body: body() }
    },
    request: async (request: object) => void partings.push(request),
  }
  const transport = createMcpTransport({
    egress: egress as never,
    ...{ org, url: 'https://tools.example/', headers: {}, limits: toolLimits },
  })
  return { transport, asked, partings, taken: () => taken }
}

test('a list of tools has the time and the bytes of connectorsBounds.list, its rest is read up to connectorsBounds.rest, and a goodbye has the time of connectorsBounds.goodbye', async () => {
  const { transport, asked, partings, taken } = endlessTools()
  await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  const { ms, bytes } = connectorsBounds.list
  expect(asked).toMatchObject([{ deadlineMs: ms, maxBodyBytes: bytes }])
  expect(taken()).toBe(connectorsBounds.rest.bytes / 1_024 + 1)
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'n', version: '1' } }
  await transport
    .send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize })
    .catch((error: Error) => expect(error.message).toContain('does not speak MCP'))
  await transport.close()
  expect(partings).toMatchObject([{ method: 'DELETE', deadlineMs: connectorsBounds.goodbye.ms }])
})

test('an event names as many tools that are off as connectorsBounds.toolsTold says, and counts all', async () => {
  const { count } = connectorsBounds.toolsTold
  const url = 'https://tools.example/'
  const { db, ofName } = scriptedDatabase({ 'connectors.lock_one': () => [{ id: uuid, url, name: 'Tools' }] })
  const listings = createListings({
    ...{ app: db, newId, log, limits: toolLimits, egress: nothing, secrets: nothing },
  })
  const tools = Array.from({ length: count + 1 }, (_, n) => ({
    manifest: { name: `tool_${n}`, description: '', input_schema: {} },
    hash: Buffer.alloc(1),
  }))
  const off = await listings.record(org, { id: uuid, url } as never, { tools, refused: [] } as never, undefined)
  const told = ofName('events.add').flatMap(({ values }) =>
    values.flatMap((value) => (String(value).includes('"tools"') ? [JSON.parse(value as string)] : [])),
  )
  expect([off.length, told]).toMatchObject([count + 1, [{ total: count + 1, tools: { length: count } }]])
})

test('a message to a channel has the time of mailBounds.post, and its answer the bytes of mailBounds.answer', async () => {
  const asked: object[] = []
  const { db } = scriptedDatabase({
    'mail.begin': () => [
      {
        ...{ id: uuid, org_id: org, organisation: 'Acme', kind: 'invitation', attempts: 1 },
        ...{ url: Buffer.alloc(1), link: Buffer.alloc(1), destination_id: uuid },
      },
    ],
  })
  const { messages } = createMailQueues({
    deliveries: db,
    secrets: { open: async () => 'https://channel.example/' } as never,
    smtp: undefined,
    deliveryEgress: { request: async (request: object) => void asked.push(request) } as never,
    config: { publicUrl: 'https://runs.example/' },
    log,
  })
  await messages.work(held, turn)
  expect(asked).toMatchObject([{ deadlineMs: mailBounds.post.ms, maxBodyBytes: mailBounds.answer.bytes }])
})

test('a trial reads runs in pages of guardrailsBounds.trialPage', async () => {
  const asked: object[] = []
  const { db } = scriptedDatabase({
    'trials.read_held': () => [
      {
        ...{ id: uuid, org_id: org, rules: [], total: 10, sample: 10, max_cost_usd: null, budget_key_id: null },
        ...{ policy_id: uuid, policy_version: 1, cursor: null, since: new Date(0), until: new Date(1), agent_id: null },
        result: { runs: 0, erased: 0, costUsd: 0 },
      },
    ],
  })
  const queue = createTrialQueue({
    ...{ app: db, system: db, clock: fakeClock(), retentionDays: 30, checks: nothing },
    budgets: { charge: async () => undefined, isUsedUp: async () => false },
    pastRuns: {
      read: async (_: string, page: object) => {
        asked.push(page)
        throw new Error('enough')
      },
    },
  } as never)
  await expect(queue.work(held, turn)).rejects.toThrow('enough')
  const { count: maxRuns, bytes: maxBytes } = guardrailsBounds.trialPage
  expect(asked).toMatchObject([{ maxRuns, maxBytes }])
})

test('the words of a step that fails are cut to pipelinesBounds.stepMessage, and judged within pipelinesBounds.checkOfStep', async () => {
  const waits = vi.spyOn(AbortSignal, 'timeout')
  onTestFinished(() => void waits.mockRestore())
  const judged: string[] = []
  const acts = createActs({
    app: scriptedDatabase({}).db,
    expressions: {
      open: async () => ({ kind: 'fault', code: 'expression_failed', message: 'x'.repeat(10_000) }),
    } as never,
    startRun: nothing,
    cancelRun: nothing,
    texts: {
      judge: async (_: object, { content }: { content: string }) => {
        judged.push(content)
        return { kind: 'fits', content }
      },
    } as never,
  })
  const facts = { definition: { steps: [{ key: 'a', agent_id: 'ag_x' }] }, input: '{}', author: { policySetId: uuid } }
  const plan = { open: ['a'], ask: [], start: [], cancel: [] }
  const { perform } = acts.open({ ...held, claim: 1 } as never, { ...facts, storedBytes: 0 } as never, turn as never)
  const { steps } = await perform(plan as never, { needsOutput: false })
  const { chars } = pipelinesBounds.stepMessage
  expect([steps.map(({ message }) => message?.length), judged.map(({ length }) => length)]).toEqual([[chars], [chars]])
  expect(waits.mock.calls).toEqual([[pipelinesBounds.checkOfStep.ms]])
})

test('streams of pipeline runs that hear nothing read pipelinesBounds.unheardReads in one tick', async () => {
  const ticks = vi.spyOn(globalThis, 'setInterval')
  onTestFinished(() => void ticks.mockRestore())
  const read: string[] = []
  const streams = createPipelineStreams({
    view: {
      read: async (_: string, id: string) => {
        read.push(id)
        const wire = { id, status: 'running', steps: [], required_actions: [] }
        return { stored: { run: { owner_id: null, id, definition: { steps: [] } }, steps: [] }, wire }
      },
    },
    pubSub: { subscribe: async () => undefined, unsubscribe: () => undefined, isUp: () => true },
    log,
    // All of them are late at once.
    lookEveryMs: -1,
  } as never)
  onTestFinished(streams.close)
  const { count } = pipelinesBounds.unheardReads
  for (let n = 0; n < 3 * count; n++) await streams.watch(testRequest(org), newId('plr'))
  const tick = ticks.mock.calls[0]?.[0] as () => void
  streams.close()
  read.length = 0
  tick()
  await expect.poll(() => read.length).toBeGreaterThanOrEqual(count)
  expect(read).toHaveLength(count)
  tick()
  await expect.poll(() => new Set(read).size).toBe(2 * count)
})
