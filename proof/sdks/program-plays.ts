import { equal, match, ok } from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentRunService, CreateAgent } from '@agent-run-service/sdk'
import { waitFor } from '../lab/condition.ts'
import type { Play } from './program-at.ts'
import { onPage } from './program-page.ts'

const timeoutMs = 60_000

/** The fields of an invoice, and an answer that a model could give. */
const invoice = {
  output_schema: {
    type: 'object',
    required: ['number', 'total', 'due'],
    properties: { number: { type: 'string' }, total: { type: 'number' }, due: { type: 'string' } },
  },
  script: [{ json: { number: '2026-014', total: 119, due: '2026-12-01' } }],
}

/** Its first attempt fails after two chunks, so that the text begins again. */
const answering = [
  {
    text: 'An answer to {{input.query}}',
    chunk_chars: 6,
    delay_per_chunk_ms: 50,
    fail: { times: 1, after_chunks: 2, retryable: true },
  },
]

/** What each program of `examples/programs` must do. */
export const plays: Readonly<Record<string, Play>> = {
  ask: async ({ client, run }) => {
    const agentId = await agent(client, { name: 'ask', config: { model: 'simulated/script', script: answering } })
    const { status, output } = await run({ agentId, args: ['Why?'] })
    equal(status, 0, output)
    match(output, /^An answer to\n?.*void\]\nAn answer to Why\?\ncompleted, \d+ tokens\n$/s)
    const failed = await run({ agentId: await named(client, 'test-fail'), args: ['Why?'] })
    equal(failed.status, 1)
    match(failed.output, /agent_error/)
  },

  'approval-page': async (program) => {
    const { client, service } = program
    const serving = await program.serve({ agentId: await named(client, 'test-approval') })
    await onPage(serving, async (page) => {
      const sent: string[] = []
      page.on('request', (request) => sent.push(JSON.stringify([request.headers(), request.postData()])))
      for (const [button, decision] of [
        ['approve', 'approved'],
        ['reject', 'rejected'],
      ] as const) {
        await page.click('#pay')
        await page.getByText('Pay 20 euros?').waitFor()
        await page.getByRole('button', { name: button }).click()
        await page.getByText(decision, { exact: true }).waitFor()
      }
      ok(
        sent.some((request) => request.includes('Bearer ')),
        'the page sends its token',
      )
      ok(!sent.some((request) => request.includes(service.apiKey)), 'the page does not have the key')
    })
  },

  'canary-release': async ({ client, run }) => {
    const agentId = await agent(client, { name: 'canary', config: { model: 'simulated/echo' } })
    const { status, output } = await run({ agentId, args: ['Be brief.'] })
    equal(status, 0, output)
    match(output, /^version 2: 0 failed, active\n$/)
    equal((await client.agents.get(agentId)).version, 2)
  },

  'daily-schedule': async ({ client, run }) => {
    const agentId = await named(client, 'test-echo')
    const first = await run({ agentId })
    equal(first.status, 0, first.output)
    const again = await run({ agentId })
    equal(again.output, first.output)
    match(first.output, /^sch_\w+ active\n(\d{4}-\d\d-\d\dT0[56]:00:00.*\n)+$/)
    const found = await client.schedules.list({ agent_id: agentId })
    equal(found.data.length, 1)
    for (const { id } of found.data) await client.schedules.delete(id)
  },

  'event-listener': async ({ client, folder, serve }) => {
    const position = join(folder, 'position.txt')
    const [echo, fail] = [await named(client, 'test-echo'), await named(client, 'test-fail')]
    await client.runs.createAndWait({ agent_id: echo, input: { query: 'before' } })
    const { data } = await client.events.list({ limit: 1 })
    writeFileSync(position, data[0]?.id ?? '')
    const first = await serve({})
    const one = await client.runs.createAndWait({ agent_id: echo, input: { query: 'one' } })
    await first.says(`completed ${one.id} one`)
    await waitFor('the position', () => readFileSync(position, 'utf8') !== data[0]?.id, { timeoutMs })
    await first.kill()
    const two = await client.runs.createAndWait({ agent_id: fail, input: {} })
    const second = await serve({})
    await second.says(`failed ${two.id} agent_error`)
    ok(!second.output().includes(one.id), 'an event came again')
  },

  'monthly-costs': async ({ run }) => {
    const { status, output } = await run({})
    equal(status, 0, output)
    match(
      output,
      /^20\d\d-.* to 20\d\d-.*: \d+ of \d+ calls\n(.+: \d+ runs, \d+ failed, \d+\.\d\d USD\n)*total: \d+ runs, \d+\.\d\d USD\n$/,
    )
    equal((await run({ args: ['2026-13'] })).status, 1)
  },

  'nightly-batch': async ({ client, folder, language, run }) => {
    const agentId = await named(client, 'test-echo')
    const items = [
      { custom_id: 'ticket-1', input: { query: 'Hello' } },
      { custom_id: 'ticket-2', input: { query: 5 } },
      { custom_id: 'ticket-3', input: { query: 'Bye' } },
    ]
    const file = `items-${language}.jsonl`
    writeFileSync(join(folder, file), items.map((item) => JSON.stringify(item)).join('\n'))
    const answers = async () => {
      const { status, output } = await run({ agentId, args: [file, 'answers.jsonl'] })
      equal(status, 0, output)
      equal(output, '3 items, 1 failed\n')
      return readFileSync(join(folder, 'answers.jsonl'), 'utf8')
    }
    const before = (await client.batches.list()).data.length
    const first = await answers()
    const found = first
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const told = found.map(({ id, status, answer }) => `${id} ${status} ${answer}`)
    equal(told.join(), 'ticket-1 completed Hello,ticket-2 failed ,ticket-3 completed Bye')
    equal(await answers(), first)
    equal((await client.batches.list()).data.length, before + 1)
  },

  'parallel-runs': async ({ client, run }) => {
    const questions = Array.from({ length: 9 }, (_, n) => `question ${n}`)
    const stdin = `${questions.join('\n')}\n`
    const { status, output } = await run({ agentId: await named(client, 'test-echo'), stdin })
    equal(status, 0, output)
    equal(output, questions.map((question) => `${question} -> ${question}\n`).join(''))
  },

  'safe-retry': async ({ client, language, run }) => {
    const agentId = await named(client, 'test-echo')
    const args = [1, 2].map((n) => `order-${language}-${n}`)
    const first = await run({ agentId, args })
    equal(first.status, 0, first.output)
    const [one = '', two = ''] = args
    match(
      first.output,
      new RegExp(`^${one} run_\\w+ completed Confirm ${one}\\n${two} run_\\w+ completed Confirm ${two}\\n$`),
    )
    equal((await run({ agentId, args })).output, first.output)
  },

  'streaming-page': async ({ client, serve }) => {
    const config = { model: 'simulated/script', script: answering }
    const serving = await serve({ agentId: await agent(client, { name: 'page', config }) })
    await onPage(serving, async (page) => {
      await page.evaluate(`
        globalThis.shown = []
        const answer = document.getElementById('answer')
        new MutationObserver(() => shown.push(answer.textContent)).observe(answer, { childList: true })
      `)
      await page.fill('[name=query]', 'Why?')
      await page.click('form button')
      await page.getByText('completed', { exact: true }).waitFor()
      equal(await page.textContent('#answer'), 'An answer to Why?')
      const shown = await page.evaluate<string[]>('shown')
      ok(
        shown.some((text) => text.length > 0 && text.length < 17),
        'the text came at once',
      )
      ok(shown.indexOf('') > 0, 'the text that is void was not removed')
    })
  },

  'typed-output': async ({ client, folder, run }) => {
    const { output_schema, script } = invoice
    const agentId = await agent(client, {
      name: 'invoice',
      output_schema,
      config: { model: 'simulated/script', script },
    })
    writeFileSync(join(folder, 'invoice.txt'), 'Invoice 2026-014: 119 euros, due on 1 December 2026.')
    const { status, output } = await run({ agentId, args: ['invoice.txt'] })
    equal(status, 0, output)
    equal(output, 'Invoice 2026-014: 119.00 euros until 2026-12-01\n')
  },

  'webhook-receiver': async ({ client, serve, service }) => {
    const { front } = service
    const webhook = await client.webhooks.create({ url: front.url, events: ['run.completed', 'run.failed'] })
    const serving = await serve({ env: { WEBHOOK_SECRET: webhook.secret ?? '' } })
    front.leadTo(serving.port)
    try {
      const echoed = await client.runs.createAndWait({
        agent_id: await named(client, 'test-echo'),
        input: { query: 'Hi' },
      })
      await serving.says(`completed ${echoed.id} Hi`)
      const failed = await client.runs.createAndWait({ agent_id: await named(client, 'test-fail'), input: {} })
      await serving.says(`failed ${failed.id} agent_error`)
      const forged = await globalThis.fetch(`http://localhost:${serving.port}/`, { method: 'POST', body: '{}' })
      equal(forged.status, 400)
    } finally {
      await client.webhooks.delete(webhook.id)
    }
  },
}

const agent = async (client: AgentRunService, params: CreateAgent): Promise<string> =>
  (await client.agents.create({ ...params, name: `program-${params.name}-${crypto.randomUUID().slice(0, 8)}` })).id

const named = async (client: AgentRunService, name: string): Promise<string> => {
  for await (const each of client.agents.list({ q: name })) if (each.name === name) return each.id
  throw new Error(`There is no agent ${name}`)
}
