import { readFileSync, writeFileSync } from 'node:fs'
import { systemClock } from '@ars/platform/clock'
import { openDatabase } from '@ars/platform/db/database'
import { createEgress } from '@ars/platform/egress/egress'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { createTestDatabase } from '@ars/testkit/database'
import { expect, test } from 'vitest'
import { insertAgent, type NewAgent } from '../src/agents/agent.store.ts'
import type { Tool, Toolbox } from '../src/connectors/index.ts'
import { createModels } from '../src/models/index.ts'
import { openingOf, plainText } from '../src/prompts/index.ts'
import { acceptRuns } from '../src/runs/accept/accept.store.ts'
import { addMessage, listActions, resolveAction, resumeRun } from '../src/runs/control/action.store.ts'
import { admitRuns } from '../src/runs/queue/admission.store.ts'
import { readHistory } from '../src/runs/run/history.store.ts'
import { createSecrets } from '../src/secrets/index.ts'
import { conversationOf, lastText, openCallsOf } from '../src/steps/conversation.ts'
import { createSteps } from '../src/steps/index.ts'
import type { History } from '../src/steps/step.ts'
import { planCalls } from '../src/steps/tool-plan.ts'
import { addOrganisation } from './add-organisation.ts'
import { askedRun } from './asked-run.ts'
import { idleSegments } from './idle-segments.ts'

/*
 * A run that one release began is continued by the next, so the interpretation of a run's stored steps may not change.
 * The file holds histories that release 2.4.0 wrote, with its interpretation of them. It is written once
 * (ARS_WRITE_HISTORIES=true); later releases add new files beside it and leave this one unchanged.
 */
const file = new URL('histories-2.4.0.json', import.meta.url).pathname

type Recorded = { input: Record<string, unknown>; instructions: string; history: History; made: unknown }

// The recorded plans hold tools without the hash of their manifest.
const tools = ['lookup', 'send_email'].map((name) => ({
  name,
  connectorId: 'con_01kf3xw0fqe1vrr9m8sdv2wbx4',
  remoteName: name,
  description: name,
  inputSchema: { type: 'object' },
  repeatable: name === 'lookup',
  needsApproval: name === 'send_email',
})) as Omit<Tool, 'hash'>[] as Tool[]

/** This release's interpretation of a history: the model's messages, its last text, and the plan for its tool calls. */
const makeOf = ({ input, instructions, history }: Omit<Recorded, 'made'>): unknown => {
  const open = openCallsOf(history)
  const step = (history.steps.at(-1)?.step ?? 0) + 1
  const known = {
    tools,
    off: new Map<string, string>(),
    records: history.calls.filter((call) => call.step === step),
    decisions: history.decisions.filter((decision) => decision.step === step),
  }
  return toPlain({
    told: conversationOf(openingOf(instructions, plainText(input)), history),
    last: lastText(history),
    open: open?.step ?? null,
    plan: open ? planCalls(open.content?.toolCalls ?? [], known) : [],
  })
}

test('a run that release 2.4.0 began is continued as that release would have', async () => {
  if (process.env.ARS_WRITE_HISTORIES === 'true') {
    const recorded = (await record()).map((each) => ({ ...each, made: makeOf(each) }))
    writeFileSync(file, `${JSON.stringify(recorded, null, 1)}\n`)
  }
  const recorded = JSON.parse(readFileSync(file, 'utf8'), reviveDates) as Recorded[]
  expect(recorded.length).toBeGreaterThanOrEqual(50)
  for (const each of recorded) expect(makeOf(each)).toEqual(toPlain(each.made))
})

const toPlain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const reviveDates = (key: string, value: unknown): unknown =>
  /_at$|At$/.test(key) && typeof value === 'string' ? new Date(value) : value

const plainAgent: Omit<NewAgent, 'id' | 'config'> = {
  name: 'recorded',
  description: null,
  kind: 'llm',
  source: 'custom',
  catalog_key: null,
  catalog_version: null,
  catalogBase: null,
  input_schema: null,
  output_schema: null,
  limits: {},
  policies: [],
  metadata: {},
  secrets: null,
  author: { by: null, type: 'operator' },
}

/** Runs of many shapes, each stopped where its number says: between steps, before a decision, after one, at the end. */
const record = async (): Promise<Omit<Recorded, 'made'>[]> => {
  const database = await createTestDatabase()
  const log = createLog({ level: 'silent' })
  const newId = createIdMaker(systemClock)
  const open = (url: string) => openDatabase({ url, name: 'record', size: 3, acquireTimeoutMs: 30_000, log })
  const [app, system] = [open(database.appUrl), open(database.systemUrl)]
  const egress = createEgress()
  const settings = { relayAfterMs: 0, cellSlots: 200 }
  try {
    const org = await addOrganisation(database)
    const segments = idleSegments({
      app,
      steps: createSteps({
        app,
        models: createModels({ modelsFile: undefined, environment: {}, clock: systemClock, log }),
        connectors: { openToolbox: async () => toolbox },
        checks: {
          output: async () => [],
          schema: async () => [],
          prompt: async () => ({ kind: 'rendered', text: '' }),
        },
        secrets: createSecrets({ app, keyring: undefined }),
        egress,
        clock: systemClock,
        log,
      }),
    })
    const histories: Omit<Recorded, 'made'>[] = []
    for (const [at, turns] of shapes.entries()) {
      for (const stopAfter of [1, 2, 3, 9]) {
        const instructions = `Be brief, ${at}.`
        const id = toUuid(newId('ag'))
        const config = {
          model: 'simulated/script',
          instructions,
          script: turns,
          tools: [{ connector_id: tools[0]?.connectorId }],
        }
        const agent: NewAgent = { ...plainAgent, id, config }
        await app.transaction(org, (tx) => insertAgent(tx, org, agent))
        const input = at % 2 === 0 ? { query: `Question ${at}` } : { topic: 'tea', at }
        const run = toUuid(newId('run'))
        const asked = askedRun(id, { id: run, input, checkedVersion: null })
        await acceptRuns(app, org, [asked], settings)
        const by = { type: 'key', uuid: toUuid(newId('key')) } as const
        let segment = { org, run, epoch: 1, segment: 1, step: 1 }
        for (let step = 1, turn = 0; turn < stopAfter; turn++) {
          if (turn === 1 && at % 3 === 0) {
            await app
              .transaction(org, (tx) => addMessage(tx, org, { run, text: `And ${at}?`, by }))
              .catch(() => undefined)
          }
          const { word } = await segments.advance(segment, step, new AbortController().signal)
          if (word === 'continue') step++
          if (word === 'wait' && turn + 1 < stopAfter) {
            const resumed = await app.transaction(org, async (tx) => {
              for (const { id: action } of await listActions(tx, org, run)) {
                const resolution = at % 2 === 0 ? 'approve' : 'reject'
                await resolveAction(tx, org, {
                  run,
                  action,
                  resolution,
                  payload: { answer: at },
                  comment: 'so be it',
                  by,
                })
              }
              return resumeRun(tx, org, run)
            })
            const { admitted } = await admitRuns(system, settings)
            if (resumed.kind === 'resumed') segment = admitted.find((each) => each.run === run) ?? segment
            step = segment.step
          }
          if (word === 'done' || word === 'stale') break
        }
        histories.push({ input, instructions, history: await readHistory(app, org, run) })
      }
    }
    return histories
  } finally {
    egress.close()
    await Promise.all([app.close(), system.close()])
    await database.drop()
  }
}

const toolbox: Toolbox = {
  tools,
  off: new Map(),
  call: async (name, args) => ({ result: { name, args, ok: true }, isError: name === 'lookup' && args.fail === true }),
  close: () => Promise.resolve(),
}

const call = (name: string, args: Record<string, unknown>) => ({ name, arguments: args })

/** Scripts of a simulated model: text, single and parallel tool calls, tools with approval, failures, many turns. */
const shapes: readonly unknown[] = [
  [{ text: 'At once.' }],
  [{ text: 'Let me look.', tool_calls: [call('lookup', { city: 'Oslo' })] }, { text: 'It rains.' }],
  [{ tool_calls: [call('lookup', { a: 1 }), call('lookup', { fail: true })] }, { text: 'Both.' }],
  [{ tool_calls: [call('send_email', { to: 'a@example.com' })] }, { text: 'Sent, or not.' }],
  [{ text: 'Two mails.', tool_calls: [call('send_email', { n: 1 }), call('send_email', { n: 2 })] }, { text: 'Done.' }],
  [{ tool_calls: [call('lookup', {}), call('send_email', {})] }, { text: 'Mixed.' }],
  [{ tool_calls: [call('unknown_tool', { x: 1 })] }, { text: 'There is none.' }],
  [{ tool_calls: [call('lookup', { n: 1 })] }, { tool_calls: [call('lookup', { n: 2 })] }, { text: 'Twice.' }],
  [{ text: 'a "quoted" line\nand another 🙂', tool_calls: [call('lookup', { text: 'naïve' })] }, { text: 'ok' }],
  [{ tool_calls: [call('lookup', {})] }, { tool_calls: [call('send_email', {})] }, { text: 'Then a mail.' }],
  [
    { text: 'one', tool_calls: [call('lookup', { deep: { list: [1, { two: null }] } })] },
    { text: '' },
    { text: 'late' },
  ],
  [{ tool_calls: [call('send_email', {})] }, { tool_calls: [call('send_email', {})] }, { text: 'Two decisions.' }],
  [{ text: 'x', tool_calls: [call('lookup', {})] }, { text: 'y', tool_calls: [call('lookup', {})] }, { text: 'z' }],
]
