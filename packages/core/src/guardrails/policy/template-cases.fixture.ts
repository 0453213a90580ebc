import type { Stage } from '../rule.ts'

/** A content at a stage of a run, as steps hand it to the guard. */
export type TemplateCase = {
  /** What it is, for the name of the test. */
  says: string
  stage: Stage
  content: unknown
  tool?: { name: string; args: unknown }
  spentUsd?: number
}

/** Cases for a template whose checks judge a call, a value or the cost: what its rules must stop, and what they must let pass. */
type TemplateCases = {
  params: Record<string, unknown>
  verdict: 'block' | 'ask'
  forbidden: readonly TemplateCase[]
  allowed: readonly TemplateCase[]
}

const call = (name: string, args: unknown = {}, says = `${name}(${JSON.stringify(args)})`): TemplateCase => ({
  says,
  stage: 'tool_call',
  content: { name, arguments: args },
  tool: { name, args },
})

const resultOf = (name: string, content: unknown): TemplateCase => ({
  says: `the result of ${name}`,
  stage: 'tool_result',
  content,
  tool: { name, args: {} },
})

const output = (content: unknown): TemplateCase => ({ says: JSON.stringify(content), stage: 'output', content })

const spent = (usd: number, of: TemplateCase): TemplateCase => ({
  ...of,
  says: `${of.says} after ${usd} US dollars`,
  spentUsd: usd,
})

export const templateCases: Readonly<Record<string, TemplateCases>> = {
  'tool-allow-list': {
    params: { tools: ['search', 'read_file', 'say "hi"', 'a\\b'] },
    verdict: 'block',
    forbidden: [
      call('delete_file'),
      call('Search'),
      call('search '),
      call('searc'),
      call('search_all'),
      call('read_file\n'),
      call(''),
      call('seаrch', {}, 'search with a Cyrillic letter'),
      call('mail', { tool: 'search' }, 'a name on the list as an argument'),
      call('"search"'),
    ],
    allowed: [
      call('search'),
      call('read_file', { path: '/etc/passwd' }),
      call('say "hi"'),
      call('a\\b'),
      // The rule looks at calls only.
      resultOf('delete_file', 'gone'),
      output('I would like to call delete_file.'),
    ],
  },
  'approval-above-amount': {
    params: { limit: 99.5, field: 'payment.amount' },
    verdict: 'ask',
    forbidden: [
      call('pay', { payment: { amount: 99.51 } }),
      call('pay', { payment: { amount: 100 } }),
      call('pay', { payment: { amount: 1e21 } }),
      call('pay', { payment: { amount: 150, currency: 'EUR' }, note: 'x' }),
      call('refund', { payment: { amount: 100 } }),
      // What cannot be compared is not let through.
      call('pay', { payment: { amount: '150' } }),
      call('pay', { payment: { amount: '1' } }),
      call('pay', { payment: { amount: [1] } }),
    ],
    allowed: [
      call('pay', { payment: { amount: 99.5 } }),
      call('pay', { payment: { amount: 0 } }),
      call('pay', { payment: { amount: -100 } }),
      // Without an amount there is nothing to compare.
      call('pay', { payment: {} }),
      call('pay', { payment: { amount: null } }),
      call('pay', { payment: 'all of it' }),
      call('pay', []),
      call('pay', null),
      call('pay', { amount: 1_000_000 }),
      call('search', { query: 'pay 1000000' }),
      resultOf('pay', { payment: { amount: 1_000 } }),
    ],
  },
  'json-output-only': {
    params: {
      schema: {
        type: 'object',
        required: ['answer'],
        properties: { answer: { type: 'string', maxLength: 20 }, score: { type: 'number', minimum: 0 } },
        additionalProperties: false,
      },
    },
    verdict: 'block',
    forbidden: [
      output('The answer is yes.'),
      output('{"answer":"yes"'),
      output('```json\n{"answer":"yes"}\n```'),
      output('{"answer":"yes"} and more'),
      output('{"answer":1}'),
      output('{"score":1}'),
      output('{"answer":"yes","score":-1}'),
      output('{"answer":"yes","more":true}'),
      output('["yes"]'),
      output('"yes"'),
      output('null'),
      output(''),
      output({ answer: 'this answer is longer than it may be' }),
    ],
    allowed: [
      output('{"answer":"yes"}'),
      output(' {"score": 0.5, "answer": "yes"}\n'),
      output({ answer: 'yes' }),
      output({ answer: '', score: 0 }),
      resultOf('search', 'The answer is yes.'),
    ],
  },
  'cost-cap': {
    params: { max_usd: 0.25 },
    verdict: 'block',
    forbidden: [
      spent(0.25, call('search')),
      spent(0.250001, call('search')),
      spent(1_000, call('search')),
      spent(0.25, resultOf('search', 'found')),
      spent(3, resultOf('search', '')),
    ],
    allowed: [
      spent(0, call('search')),
      spent(0.249999, call('search')),
      spent(0.249999, resultOf('search', 'found')),
      call('search', { run_usd: 5 }),
      // The answer was paid for already.
      spent(1, output('done')),
    ],
  },
}
