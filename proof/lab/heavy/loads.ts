/** Work that one organisation of the smallest plan may hand in, as heavy as the service accepts it. */
export type Load = {
  name: string
  what: string
  /** In force while the load is sent. */
  rules: readonly Rule[]
  /** A pipeline that is saved before. */
  definition?: (agentId: string) => unknown
  /** Made anew each time, so that nothing is answered from a cache. */
  request(facts: Facts): Request
  /** At least one of these must be answered, or the load was not met. */
  statuses: readonly number[]
}

export type Facts = { agentId: string; pipelineId: string; time: number }
export type Request = { path: string; body: unknown }
export type Rule = { check: string; stages: readonly string[]; action: string; params: unknown }

const listOf = <Item>(length: number, make: (at: number) => Item): Item[] => Array.from({ length }, (_, at) => make(at))
const fill = (piece: string, chars: number): string => piece.repeat(Math.ceil(chars / piece.length)).slice(0, chars)

const rule = (check: string, params: unknown, action = 'flag'): Rule => ({
  check,
  stages: ['input', 'output'],
  action,
  params,
})

const runOf = ({ agentId, time }: Facts, text: string, more: Record<string, unknown> = {}): Request => ({
  path: '/runs',
  body: { agent_id: agentId, input: { query: `${time} ${text}`, ...more } },
})

// Different lists of countries are different checks.
const countries = ['US', 'DE', 'FR', 'GB', 'IT', 'ES', 'AT', 'CH', 'NL', 'BE', 'PL', 'SE', 'NO', 'DK', 'FI', 'PT']
const countriesOf = (at: number): string[] => countries.filter((_, place) => ((at + 1) >> place) & 1)

const personal = (count: number): Rule[] => listOf(count, (at) => rule('pii', { countries: countriesOf(at) }))
const words = (count: number): Rule[] =>
  listOf(count, (list) =>
    rule('keywords', { words: listOf(100, (at) => `${'ab'.repeat(90)}${list}-${at}`), whole_words: false }),
  )
const patterns = (count: number): Rule[] =>
  listOf(count, (at) => rule('regex', { pattern: `(?:a{0,12}){0,12}b${at}|(a|aa|aaa)+c` }))
const schemas = (count: number): Rule[] =>
  listOf(count, (list) =>
    rule('json_schema', {
      schema: {
        unevaluatedProperties: false,
        oneOf: listOf(240, (at) => ({ properties: { [`a${at}_${list}`]: {} } })),
      },
    }),
  )
const expressions = (count: number): Rule[] =>
  listOf(count, (at) =>
    rule('expression', {
      expression: `content.input.list.all(x, content.input.list.all(y, x + y + ${at}.0 >= 0.0))`,
      message: 'Never',
    }),
  )
const links = (count: number): Rule[] =>
  listOf(count, (at) => rule('url_allow', { hosts: listOf(50, (host) => `h${host}.x${at}.example`) }))
const hidden = (count: number): Rule[] =>
  listOf(count, (at) => rule('keywords', { words: [`a${at % 10}`, `b${at}`], whole_words: false }, 'redact'))

const numbers = fill('+49 170 1234567 4111 1111 1111 1112 1 2 3 4 5 6 ', 10_000)
const list = listOf(5_000, (at) => at)

/** 200 lists of 7 MB of an input of 1 MB. */
const poison = (agentId: string) => ({
  steps: listOf(200, (at) => ({
    key: `s${at}`,
    agent_id: agentId,
    for_each: `[[${listOf(4, () => 'input.b + input.b').join(', ')}]]`,
    input: { query: 'x' },
  })),
})
const poisonInput = { b: 'q'.repeat(900_000) }

/** Lists that each fit, of scopes as large as they may be. */
const wide = (agentId: string) => ({
  steps: listOf(50, (at) => ({
    key: `s${at}`,
    agent_id: agentId,
    for_each: 'input.list',
    max_parallel: 100,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a placeholder of a pipeline
    input: { query: '${{ size(input.text) + item }}' },
  })),
})
const wideInput = { list: listOf(1_000, (at) => at), text: 'q'.repeat(800_000) }

const batchItem = { input: { query: fill('text of an item ', 10_000) } }
const batchText = JSON.stringify({ items: listOf(3_000, () => batchItem) }).slice(1)

const heavyPolicy = (time: number) => ({
  name: `heavy ${time}`,
  rules: [
    ...patterns(40),
    rule('url_allow', { hosts: listOf(1_000, (at) => `h${at}.example`) }),
    rule('keywords', { words: listOf(250, (at) => `${'ab'.repeat(90)}${time}-${at}`), whole_words: false }),
    ...schemas(3),
    ...expressions(5),
  ].map((each) => ({ ...each, stages: ['output'] })),
})

const pipelineRun = ({ pipelineId }: Facts, input: unknown): Request => ({
  path: `/pipelines/${pipelineId}/runs`,
  body: { input, timeout_seconds: 60 },
})
const batch = ({ agentId }: Facts): Request => ({ path: '/batches', body: `{"agent_id":"${agentId}",${batchText}` })

export const loads: readonly Load[] = [
  {
    name: 'rules',
    what: '500 different rules for personal data on 10 KB of numbers',
    rules: personal(500),
    request: (facts) => runOf(facts, numbers),
    statuses: [200, 202, 503],
  },
  {
    name: 'equal rules',
    what: '500 equal rules on 10 KB of numbers',
    rules: listOf(500, () => rule('pii', {})),
    request: (facts) => runOf(facts, numbers),
    statuses: [200, 202],
  },
  {
    name: 'words and links',
    what: '1 MB of lists of words and hosts on 100 KB',
    rules: [...words(45), ...links(100)],
    request: (facts) => runOf(facts, fill('abab https://a.b ', 100_000)),
    statuses: [200, 202, 503],
  },
  {
    name: 'patterns',
    what: '300 patterns with repetitions on 100 KB of a letter',
    rules: patterns(300),
    request: (facts) => runOf(facts, fill('a', 100_000)),
    statuses: [200, 202, 503],
  },
  {
    name: 'schemas',
    what: '60 of the schemas that take longest to compile',
    rules: schemas(60),
    request: (facts) => runOf(facts, 'short'),
    statuses: [200, 202, 503],
  },
  {
    name: 'expressions',
    what: '500 loops in loops over 5,000 numbers',
    rules: expressions(500),
    request: (facts) => runOf(facts, 'short', { list }),
    statuses: [200, 202, 503],
  },
  {
    name: 'hidden pieces',
    what: '100 rules that hide 100,000 pieces of 900 KB',
    rules: hidden(100),
    request: (facts) => runOf(facts, '', { texts: listOf(8_000, () => fill('a1 a2 a3 ', 100)) }),
    statuses: [200, 202, 422, 503],
  },
  {
    name: 'saved policies',
    what: 'policies with the heaviest patterns, lists, schemas and expressions are saved',
    rules: [],
    request: ({ time }) => ({ path: '/policies', body: heavyPolicy(time) }),
    statuses: [201, 422],
  },
  {
    name: 'poison pipeline',
    what: '200 steps with a list of 7 MB each, of one request of 1 MB',
    rules: [],
    definition: poison,
    request: (facts) => pipelineRun(facts, poisonInput),
    statuses: [201, 202],
  },
  {
    name: 'wide pipeline',
    what: '50 steps with 1,000 items each, whose inputs read 800 KB',
    rules: [],
    definition: wide,
    request: (facts) => pipelineRun(facts, wideInput),
    statuses: [201, 202],
  },
  {
    name: 'large bodies',
    what: 'batches of 30 MB, four at a time',
    rules: [],
    request: batch,
    statuses: [201, 202],
  },
  {
    name: 'all at once',
    what: 'rules of every kind, runs, pipelines, batches and policies together',
    rules: [...personal(200), ...words(15), ...patterns(100), ...schemas(15), ...expressions(100)],
    definition: poison,
    request: (facts) =>
      [
        () => runOf(facts, numbers, { list }),
        () => pipelineRun(facts, poisonInput),
        () => batch(facts),
        () => ({ path: '/policies', body: heavyPolicy(facts.time) }),
      ][facts.time % 4]?.() ?? runOf(facts, numbers),
    statuses: [200, 201, 202, 503],
  },
]

/** In policies of as many rules and bytes as one may have. */
export const policiesOf = (rules: readonly Rule[]): Rule[][] => {
  const policies: Rule[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const each of rules) {
    const own = JSON.stringify(each).length + 30
    if ((policies.at(-1)?.length ?? 50) >= 50 || bytes + own > 250_000) {
      policies.push([])
      bytes = 0
    }
    policies.at(-1)?.push(each)
    bytes += own
  }
  return policies
}
