import { limits } from '@ars/contract'
import { systemClock } from '@ars/platform/clock'
import { createIdMaker, fromUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { testRequest } from '@ars/testkit/caller'
import { fakeClock } from '@ars/testkit/clock'
import { expect, test } from 'vitest'
import { ToolFailure } from '../src/connectors/index.ts'
import { guardrailsBounds } from '../src/guardrails/bounds.ts'
import { createSecretCheck } from '../src/guardrails/check/secret-check.ts'
import { createUrlCheck } from '../src/guardrails/check/url-check.ts'
import { releaseOf } from '../src/guardrails/guard/release.service.ts'
import { askModel } from '../src/guardrails/remote/model-judge.service.ts'
import type { CheckOfRule } from '../src/guardrails/rule.ts'
import { limitsBounds } from '../src/limits/bounds.ts'
import { createSharedBuckets } from '../src/limits/shared-bucket.service.ts'
import { pipelinesBounds } from '../src/pipelines/bounds.ts'
import { pipelineTasks } from '../src/pipelines/pipeline-task.service.ts'
import { createAccept } from '../src/runs/accept/accept-batch.service.ts'
import { runsBounds } from '../src/runs/bounds.ts'
import { createDeltas } from '../src/runs/feed/delta.service.ts'
import { unattended } from '../src/runs/queue/admission.fixture.ts'
import { createTokens } from '../src/runs/run/tokens-of-run.service.ts'
import { stepsBounds } from '../src/steps/bounds.ts'
import { parseJson } from '../src/steps/remote-call.service.ts'
import { createToolStep } from '../src/steps/tool-step.service.ts'
import { createAnalytics } from '../src/usage/analytics.service.ts'
import { usageBounds } from '../src/usage/bounds.ts'
import { webhooksBounds } from '../src/webhooks/bounds.ts'
import { createMissed } from '../src/webhooks/recover/missed.service.ts'
import { askedRun } from './asked-run.ts'
import { scriptedDatabase } from './scripted-database.ts'

const log = createLog({ level: 'silent' })
const _newId = createIdMaker(systemClock)
const uuid = '01890a5d-ac96-774b-bcce-b302099a8057'
const uuidOf = (n: number): string => `01890a5d-ac96-774b-bcce-${String(n).padStart(12, '0')}`
const nothing = {} as never
const seconds = (count: number) => new Date(1_700_000_000_000 + 1_000 * count)

test.for([
  ['card', guardrailsBounds.cardNumber],
  ['iban', guardrailsBounds.iban],
  ['ip', guardrailsBounds.ipAddress],
  ['national_id', guardrailsBounds.nationalId],
  ['email', guardrailsBounds.emailAddress],
  ['phone', guardrailsBounds.phoneNumber],
] as const)(
  'a stream holds back as much text as a piece of the kind %s can be long (guardrailsBounds.ipAddress, guardrailsBounds.nationalId, guardrailsBounds.phoneNumber)',
  ([kind, { chars }]) => {
    const rule = { check: 'pii', action: 'block', params: { kinds: [kind], countries: ['DE'] } } as never
    // With the characters on both sides, which tell whether it is one.
    expect(releaseOf([rule])).toEqual({ mode: 'window', chars: chars + 2 })
  },
)

test('no stream holds back more text than guardrailsBounds.textInView', () => {
  const rule = (most: number): CheckOfRule & { action: 'block' } =>
    ({ check: 'regex', action: 'block', params: { pattern: 'a.*b', max_match_chars: most } }) as never
  expect(releaseOf([rule(10) as never])).toMatchObject({ mode: 'window' })
  expect(releaseOf([rule(limits.messageChars) as never])).toEqual({
    mode: 'window',
    chars: guardrailsBounds.textInView.chars,
  })
})

test('of a longer secret or address the characters of guardrailsBounds.secret and guardrailsBounds.url are found', () => {
  const block = (chars: number) => `-----BEGIN PRIVATE KEY-----\n${'Ab1+/'.repeat(chars / 5)}`
  const lengthOf = (chars: number) => {
    const [span] = createSecretCheck().find(block(chars))
    return (span?.end ?? 0) - (span?.start ?? 0)
  }
  const { chars: secret } = guardrailsBounds.secret
  const head = lengthOf(secret / 2 - ((secret / 2) % 5)) - (secret / 2 - ((secret / 2) % 5))
  // The first 20 characters say what it is.
  expect(lengthOf(3 * secret)).toBe(head + 20 + secret)
  const { chars: url } = guardrailsBounds.url
  const [found] = createUrlCheck({ hosts: [] }).find(`https://evil.example/${'a'.repeat(3 * url)}`)
  expect([found?.start, found?.end]).toEqual([0, url + 'https://'.length])
})

test('a model that judges may answer the tokens of guardrailsBounds.answerOfModel', async () => {
  const asked: { maxOutputTokens?: number }[] = []
  const call = async (request: { maxOutputTokens?: number }) => {
    asked.push(request)
    return { text: '{"violation":false,"reason":""}', usage: nothing, costUsd: 0 }
  }
  const rule = { check: 'model', params: { model: 'm', instructions: 'i' } } as never
  await askModel({ call } as never, rule, { text: 't', signal: new AbortController().signal } as never)
  expect(asked.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([guardrailsBounds.answerOfModel.count])
})

test('more buckets than limitsBounds.bucketsTogether are asked for in several calls of Redis', async () => {
  const { count } = limitsBounds.bucketsTogether
  const calls: number[] = []
  const run = async (_: unknown, keys: readonly string[]) => {
    calls.push(keys.length)
    return keys.flatMap(() => [1, 0])
  }
  const buckets = createSharedBuckets({ run } as never)
  const bucketOf = (n: number) => ({ id: `b${n}`, requestsPerMinute: 60, burst: 1 })
  await Promise.all(Array.from({ length: 2 * count + 1 }, (_, n) => buckets.take(bucketOf(n))))
  expect(calls).toEqual([count, count, 1])
})

test('an answer of a remote agent has at most the keys of stepsBounds.remoteKeys', () => {
  const { count } = stepsBounds.remoteKeys
  const textOf = (keys: number) => JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, n) => [n, 0])))
  expect(parseJson(textOf(count))).toHaveProperty('value')
  expect(parseJson(textOf(count + 1))).toHaveProperty('problem')
})

test('analytics name the busiest agents of usageBounds.busiestTold', async () => {
  const { count } = usageBounds.busiestTold
  const figures = { runs: '5', timed_runs: '5', latency_ms: '5', first_bucket: seconds(0) }
  const { db } = scriptedDatabase({
    'usage.as_of': () => [{ as_of: seconds(0) }],
    'usage.bounds': () => [
      { starts: seconds(0), ends: seconds(3_600), previous_starts: seconds(-3_600), has_whole_hours: true },
    ],
    'usage.agent_totals': () => Array.from({ length: 3 * count }, (_, n) => ({ agent_id: uuidOf(n), ...figures })),
  })
  const { top_agents, slowest_agents } = (await createAnalytics({ app: db, clock: fakeClock() }).get(
    testRequest(uuid),
    {},
    { ids: null } as never,
  )) as unknown as Record<string, unknown[]>
  expect([top_agents?.length, slowest_agents?.length]).toEqual([count, count])
})

/** Events that an endpoint missed. Each portion of the search finds `perPortion`. */
const missedWith = (perPortion: number, eventBytes: number) => {
  const statement = 'webhooks.look_for_missed_newest'
  const read: number[] = []
  let n = 0
  const { db, countOf } = scriptedDatabase({
    'webhooks.find': () => [{ id: uuid, events: ['run.completed'], created_at: seconds(0) }],
    [statement]: () => {
      const found = Array.from({ length: perPortion }, () => ({ id: uuidOf(n++), type: 'run.completed' }))
      return [{ missed: found, looked: 10_000, last: uuidOf(1_000 - n), fitting: perPortion, last_fitting: null }]
    },
  })
  const missed = createMissed({
    app: db,
    events: {
      envelopesOf: async (_: string, ids: readonly string[]) => {
        read.push(ids.length)
        return new Map(ids.map((id) => [id, { id, data: 'x'.repeat(eventBytes) }]))
      },
    } as never,
  })
  return {
    get: (limit: number) => missed({ org: uuid }, { id: fromUuid('wh', uuid), limit }),
    read,
    searches: () => countOf(statement),
  }
}

test('beside an organisation whose calls are used up, those of runsBounds.shortOrganisationsKnown others are remembered', async () => {
  const exhausted = Object.assign(new Error('The shard is exhausted'), { code: 'ARQ01' })
  const { db } = scriptedDatabase({
    'runs.accept_several': () => [{ id: uuid, refusal: 'shard_exhausted' }],
    'runs.accept': () => {
      throw exhausted
    },
    'calls.room': () => [{ slot: 1, room: '0', seconds_left: 60 }],
  })
  const accept = createAccept({ app: db, admission: unattended, relayAfterMs: 0, cellSlots: 10 } as never)
  const { count } = runsBounds.shortOrganisationsKnown
  const orgs = Array.from({ length: count + 1 }, (_, n) => `org ${n}`)
  for (let from = 0; from < orgs.length; from += 500)
    await Promise.all(
      orgs.slice(from, from + 500).map((org) => accept(org, askedRun(uuid, { id: uuid })).catch(() => undefined)),
    )
  expect(orgs.filter((org) => accept.isShort(org)).length).toBe(count)
  expect(accept.isShort('org 0')).toBe(false)
})

test('streamed texts of more runs than runsBounds.deltaRunsTogether are stored by several statements', async () => {
  const { count } = runsBounds.deltaRunsTogether
  const stored: number[] = []
  const { db } = scriptedDatabase({
    'deltas.store': ({ values }) => {
      const runs = values.find((value) => Array.isArray(value)) as string[]
      stored.push(runs.length)
      return runs.map((run_id, n) => ({ run_id, seq: n + 1, created_at: seconds(0) }))
    },
  })
  const deltas = createDeltas({ app: db, feed: { tell: () => undefined } as never, clock: systemClock, log })
  const streams = Array.from({ length: count + 1 }, (_, n) =>
    deltas.open({ org: uuid, run: uuidOf(n), epoch: 1, attempt: 1, claimId: uuid, step: 1 } as never, () => undefined),
  )
  for (const stream of streams) stream.write('text')
  await Promise.all(streams.map((stream) => stream.close()))
  expect(Math.max(...stored)).toBe(count)
  expect(stored.reduce((sum, runs) => sum + runs, 0)).toBe(count + 1)
})

test('values of a content are sealed in turns of runsBounds.valuesSealedTogether', async () => {
  const { count } = runsBounds.valuesSealedTogether
  let open = 0
  let most = 0
  const fingerprint = async () => {
    most = Math.max(most, ++open)
    await new Promise(setImmediate)
    open--
    return Buffer.from(String(open))
  }
  const tokens = createTokens(
    { secrets: { fingerprint }, org: uuid },
    { known: async () => [], store: async () => undefined },
  )
  const values = Array.from({ length: 2 * count + 1 }, (_, n) => ({ kind: 'EMAIL', value: `${n}` }))
  expect(await tokens.tokensFor(values)).toHaveLength(values.length)
  expect(most).toBe(count)
})

test('the search for missed events looks at webhooksBounds.portionsSearched, and reads webhooksBounds.missedTogether at once', async () => {
  const few = missedWith(1, 10)
  expect(await few.get(100)).toMatchObject({ has_more: true, data: { length: webhooksBounds.portionsSearched.count } })
  expect(few.searches()).toBe(webhooksBounds.portionsSearched.count)
  const { count: together } = webhooksBounds.missedTogether
  const many = missedWith(3 * together, 10)
  await many.get(2 * together + 1)
  expect(many.read).toEqual([together, together, 1])
})

test('a page of missed events has at most the bytes of webhooksBounds.missedPage', async () => {
  const { get } = missedWith(50, Math.floor(webhooksBounds.missedPage.bytes / 3) - 1_000)
  expect(await get(50)).toMatchObject({ has_more: true, data: { length: 3 } })
})

test('the place of a fault in a template is cut to pipelinesBounds.placeTold', () => {
  const long = 'k'.repeat(1_000)
  const result = pipelineTasks()['pipelines.render']?.(
    { value: JSON.stringify({ [long]: '${{ input.a }}' }), scope: '{"input":{}}' },
    () => undefined,
  ) as { message: string }
  expect(/^k+/.exec(result.message)?.[0]).toHaveLength(pipelinesBounds.placeTold.chars)
})

/** A step whose model asked for tool calls, and a server of tools. */
const callTools = (calls: number, call: () => Promise<{ result: unknown; isError: boolean }>) => {
  const tool = { name: 't', connectorId: 'con_1', remoteName: 't', repeatable: true, needsApproval: false }
  const toolCalls = Array.from({ length: calls }, (_, n) => ({ id: `call_${n}`, name: 't', arguments: {} }))
  const history = { calls: [], decisions: [] }
  const request = {
    context: { history: async () => history, startCall: async () => undefined, finishCall: async () => undefined },
    ...{ runId: 'run_1', step: 1, signal: new AbortController().signal },
  }
  const open = { step: 1, content: { toolCalls }, messagesRead: 0 }
  const toolbox = { tools: [tool], off: new Map(), call }
  return createToolStep({})(request as never, history as never, open as never, toolbox as never)
}

test('as many tool calls of a step are under way as stepsBounds.toolCallsUnderWay says', async () => {
  let [open, most] = [0, 0]
  await callTools(20, async () => {
    most = Math.max(most, ++open)
    await new Promise(setImmediate)
    open--
    return { result: 'done', isError: false }
  })
  expect(most).toBe(stepsBounds.toolCallsUnderWay.count)
})

test('a tool call whose server is away is tried stepsBounds.toolCallTries times, and the model gets the error', async () => {
  let tries = 0
  const outcome = await callTools(1, async () => {
    tries++
    throw new ToolFailure('The server is away', { outcome: 'not_sent', retryable: true })
  })
  expect(tries).toBe(stepsBounds.toolCallTries.count)
  expect(JSON.stringify(outcome)).toContain('The server is away')
})
