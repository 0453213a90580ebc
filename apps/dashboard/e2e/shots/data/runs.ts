import type { RequiredAction, Run, RunDiagnosis, RunStep } from '@agent-run-service/sdk'
import { ago, id, ids, now } from './base.ts'

const kinds = { cached_input_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 }

const run = (number: number, minutesAgo: number, own: Partial<Run>): Run => {
  const created = now - minutesAgo * 60_000
  const latency = own.latency_ms === undefined ? 1_800 + ((number * 733) % 6_000) : own.latency_ms
  const [input_tokens, output_tokens] = [400 + ((number * 311) % 2_600), 20 + ((number * 97) % 400)]
  const cost_usd = Number(((input_tokens + 8 * output_tokens) / 400_000).toFixed(4))
  const used = own.usage ?? { ...kinds, input_tokens, output_tokens, cost_usd }
  const queueMs = own.timing?.queue_ms ?? 40
  return {
    id: id('run', number),
    object: 'run',
    status: 'completed',
    agent_id: ids.refunds,
    agent_version: 4,
    deployment_id: id('dep', 4),
    input: {},
    output: null,
    output_text: null,
    error: null,
    required_actions: [],
    latency_ms: latency,
    tokens_used: used.input_tokens + used.output_tokens,
    usage: used,
    timing: { queue_ms: 40, execution_ms: latency, waiting_ms: 0 },
    metadata: { customer: `c-${1_000 + number}` },
    pipeline_run_id: null,
    parent_run_id: null,
    created_by: ids.webKey,
    created_at: new Date(created).toISOString(),
    started_at: new Date(created + queueMs).toISOString(),
    finished_at: latency === null ? null : new Date(created + latency).toISOString(),
    erased_at: null,
    input_preview: '{"order_id":"A-2041"}',
    output_preview: null,
    ...own,
  }
}

const action = (number: number, own: Partial<RequiredAction>): RequiredAction => ({
  id: id('act', number),
  type: 'approval',
  message: 'Refund 39 EUR for order A-2041?',
  tool_call: { name: 'refund', arguments: { order_id: 'A-2041', amount_eur: 39 } },
  response_schema: null,
  created_at: ago(12),
  expires_at: ago(-6 * 24, 'hours'),
  ...own,
})

const said = (text: string): Partial<Run> => ({
  output: { result: text },
  output_preview: JSON.stringify({ result: text }),
})
const asks = { status: 'requires_action', latency_ms: null } as const
const refusal = {
  code: 'tool_error',
  message: 'The connector Shop answered 503 three times: the order could not be read',
  retryable: true,
  details: { connector_id: ids.shop, tool: 'find_order', status: 503 },
} as const

const answer = `Dear Mrs Lindqvist,

we are sorry that the kettle arrived broken. We return **39.00 EUR** to your card today; your bank shows it within three days.

- Order: A-2041
- Reference: R-88213

You do not have to send the kettle back.

Kind regards,
Northwind`

/** The run of the run page: a tool call that a person approved. */
export const doneRun = run(1, 34, {
  ...said(answer),
  agent_version: 5,
  deployment_id: id('dep', 5),
  input: { order_id: 'A-2041', message: 'The kettle arrived broken. I want my money back.', language: 'en' },
  latency_ms: 23_400,
  timing: { queue_ms: 154, execution_ms: 4_700, waiting_ms: 18_546 },
  usage: { ...kinds, input_tokens: 2_807, output_tokens: 173, cached_input_tokens: 1_152, cost_usd: 0.0068 },
  metadata: { customer: 'c-4410', channel: 'mail' },
})

const at = (ms: number): string => new Date(Date.parse(doneRun.created_at) + ms).toISOString()
const usage = (input_tokens: number, output_tokens: number) => ({
  ...kinds,
  input_tokens,
  output_tokens,
  cost_usd: 0.002,
})
const model = (number: number, from: number, to: number, own: Partial<RunStep>): RunStep => ({
  object: 'run_step',
  number,
  type: 'model',
  status: 'completed',
  model: 'openai/gpt-5-mini',
  text: null,
  tool_calls: [],
  decisions: [],
  attempts: [],
  usage: usage(700, 50),
  started_at: at(from),
  finished_at: at(to),
  duration_ms: to - from,
  ...own,
})

const approval = { action_id: id('act', 1), type: 'approve', by: ids.ada, comment: 'Within 30 days.', at: at(21_550) }

export const steps: readonly RunStep[] = [
  model(1, 154, 1_214, { text: 'I look the order up first.', usage: usage(412, 38) }),
  model(2, 1_214, 1_854, {
    type: 'tools',
    model: null,
    usage: usage(0, 0),
    tool_calls: [
      {
        name: 'find_order',
        connector_id: ids.shop,
        arguments: { order_id: 'A-2041' },
        status: 'completed',
        result: { order_id: 'A-2041', paid_eur: 39, delivered: '2026-03-09', item: 'Kettle, steel, 1.7 l' },
        decision: null,
        started_at: at(1_230),
        finished_at: at(1_840),
      },
    ],
  }),
  model(3, 1_854, 3_014, { text: 'The order was paid three days ago. I ask for the refund.', usage: usage(955, 51) }),
  model(4, 3_014, 22_100, {
    type: 'tools',
    model: null,
    usage: usage(0, 0),
    started_at: at(21_560),
    duration_ms: 540,
    decisions: [approval],
    tool_calls: [
      {
        name: 'refund',
        connector_id: ids.shop,
        arguments: { order_id: 'A-2041', amount_eur: 39 },
        status: 'completed',
        result: { reference: 'R-88213' },
        decision: approval,
        started_at: at(21_570),
        finished_at: at(22_090),
      },
    ],
  }),
  model(5, 22_100, 23_400, {
    text: answer,
    usage: { ...usage(1_440, 84), cached_input_tokens: 1_152, reasoning_tokens: 32 },
    attempts: [
      { started_at: at(22_100), error: { code: 'model_error', message: 'The provider answered 529: overloaded' } },
    ],
  }),
]

/** The run beside it in the comparison: the same input, the version before. */
const olderRun = run(2, 61, {
  ...said(
    answer.replace('within three days', 'within a week').replace('You do not have to send the kettle back.\n\n', ''),
  ),
  input: doneRun.input,
  latency_ms: 31_800,
  timing: { queue_ms: 210, execution_ms: 6_300, waiting_ms: 25_290 },
  usage: { ...kinds, input_tokens: 3_120, output_tokens: 240, cost_usd: 0.0091 },
})

export const waitingRuns: readonly Run[] = [
  run(3, 12, { ...asks, required_actions: [action(3, {})] }),
  run(4, 38, {
    ...asks,
    agent_id: ids.triage,
    required_actions: [
      action(4, {
        message: 'Send this reply to Ms Okafor?',
        tool_call: {
          name: 'send_reply',
          arguments: { ticket: 77_120, text: 'Dear Ms Okafor, the invoice was sent twice by mistake…' },
        },
        created_at: ago(38),
        expires_at: ago(-22, 'hours'),
      }),
    ],
  }),
  run(5, 95, {
    ...asks,
    required_actions: [
      action(5, {
        type: 'input',
        message: 'Which of the two addresses is right?',
        tool_call: null,
        response_schema: {
          type: 'object',
          required: ['address'],
          properties: {
            address: { enum: ['Harbour Street 4', 'Mill Lane 19'], title: 'Address' },
            note: { type: 'string', title: 'Note', maxLength: 100 },
          },
        },
        created_at: ago(95),
        expires_at: ago(-55),
      }),
    ],
  }),
]

const texts = [
  'The parcel is on its way and arrives on Friday.',
  'We have changed the address of your order.',
  'The invoice 2026-014 is due on 30 March.',
  'Category: billing. Urgency: normal. Team: accounts.',
  'Three action items: Ada sends the budget, Linus books the room, Grace writes to the supplier.',
] as const
const agentsInTurn = [ids.refunds, ids.triage, ids.invoices, ids.meetings, ids.notes, ids.warehouse]
const ended = Array.from({ length: 40 }, (_, n): Run => {
  const agent_id = agentsInTurn[n % agentsInTurn.length] ?? ids.refunds
  const own = { agent_id, agent_version: 1 + (n % 5) }
  if (n % 9 === 4) return run(20 + n, 20 + n * 17, { ...own, status: 'failed', error: refusal })
  if (n % 13 === 7) return run(20 + n, 20 + n * 17, { ...own, status: 'cancelled' })
  return run(20 + n, 20 + n * 17, { ...own, ...said(texts[n % texts.length] ?? '') })
})

export const runs: readonly Run[] = [
  run(10, 0.05, { status: 'running', latency_ms: null }),
  run(11, 0.4, { status: 'running', latency_ms: null, agent_id: ids.invoices, agent_version: 7 }),
  run(12, 0.6, { status: 'queued', latency_ms: null, started_at: null, agent_id: ids.meetings }),
  ...waitingRuns,
  doneRun,
  olderRun,
  ...ended,
].sort((one, other) => Date.parse(other.created_at) - Date.parse(one.created_at))

export const diagnosis: RunDiagnosis = {
  run_id: doneRun.id,
  status: 'completed',
  waiting_for: 'nothing',
  message: 'The run has ended: completed.',
  since: doneRun.finished_at,
  queue_position: null,
  blocked_by: [],
  retry_at: null,
  action_ids: [],
  last_progress_at: doneRun.finished_at,
  next_deadline_at: null,
}
