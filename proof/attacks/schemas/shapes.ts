/** The shapes with which a JSON Schema stopped a process, as requests of the weakest credential that can send them. */
export type Shape = {
  name: string
  what: string
  /** Prepares an agent where the attack needs one. Null: the service refused it. */
  agent?: { body: Record<string, unknown> }
  credential: 'demo' | 'key'
  /** The request, made anew each time so that nothing is answered from a cache. */
  request(facts: { agentId: string; approvalId: string; time: number }): { path: string; body: unknown }
  /** Every status that the service may answer with. */
  statuses: readonly number[]
}

type Schema = Record<string, unknown>

const referenceBomb = (levels: number): Schema => {
  const $defs: Schema = { d0: { type: 'object' } }
  for (let level = 1; level <= levels; level++) {
    const $ref = `#/$defs/d${level - 1}`
    $defs[`d${level}`] = { allOf: [{ $ref }, { $ref }] }
  }
  return { $defs, $ref: `#/$defs/d${levels}` }
}

const custom = (schemas: Schema) => ({
  name: 'Hostile',
  config: { model: 'simulated/script', script: [{ json: { a: 1 } }] },
  ...schemas,
})

const listOf = <Item>(length: number, make: (at: number) => Item): Item[] => Array.from({ length }, (_, at) => make(at))

/** The heaviest that is accepted by weight. */
const compileBomb: Schema = {
  unevaluatedProperties: false,
  oneOf: listOf(240, (at) => ({ properties: { [`a${at}_TIME`]: {} } })),
}

/** Of 64 KB, within the number of keys that an object of a body may have. */
const largeSchema: Schema = {
  allOf: listOf(2, (half) => ({
    properties: Object.fromEntries(listOf(800, (at) => [`p${half}_${at}_TIME`, { type: 'string' }] as const)),
  })),
}

/** Many references: the compiled validator takes much memory, and the service keeps it for the next check. */
const referenceList: Schema = {
  title: 'TIME',
  $defs: Object.fromEntries(listOf(100, (at) => [`d${at}`, { type: ['string', 'null'], maxLength: at }] as const)),
  properties: Object.fromEntries(listOf(300, (at) => [`p${at}`, { $ref: `#/$defs/d${at % 100}` }] as const)),
}

/**
 * Different each time, by a text in the place of TIME. Building such an object for each request would take the client longer
 * than the service needs for it, and the client would measure its own delay.
 */
const inText = (body: unknown): ((time: number) => string) => {
  const text = JSON.stringify(body)
  return (time) => text.replaceAll('TIME', String(time))
}

/** Two alternatives with the same field: doubles with every level of the value. */
const branch = { properties: { a: { $ref: '#' } }, required: ['b'] }
const doubling = { anyOf: [branch, { ...branch, title: 'the other' }] }

const nested = (levels: number, time: number): Schema => {
  let value: Schema = { time }
  for (let level = 0; level < levels; level++) value = { a: value }
  return value
}

const runs = (agentId: string, input: unknown) => ({ path: '/runs', body: { agent_id: agentId, input } })

const heaviest = inText(custom({ input_schema: compileBomb }))
const tooLarge = inText(custom({ input_schema: largeSchema }))
const manyReferences = inText(custom({ input_schema: referenceList }))

export const shapes: readonly Shape[] = [
  {
    name: 'reference bomb, worker',
    what: '`response_schema` with 2⁶⁰ paths in the input of `test-approval`',
    credential: 'demo',
    request: ({ approvalId, time }) =>
      runs(approvalId, { type: 'input', response_schema: { ...referenceBomb(60), title: String(time) } }),
    statuses: [200, 202],
  },
  {
    name: 'reference bomb, gateway',
    what: '`input_schema` and `output_schema` with 2⁶⁰ paths',
    credential: 'key',
    request: ({ time }) => ({
      path: '/agents/custom',
      body: custom({ input_schema: { ...referenceBomb(60), title: String(time) }, output_schema: referenceBomb(60) }),
    }),
    statuses: [422],
  },
  {
    name: 'backtracking pattern',
    what: '`^(a|a)*$` on 128 letters and `^(a+)+$` on 5,000',
    agent: {
      body: custom({
        input_schema: { properties: { a: { pattern: '^(a|a)*$' }, b: { pattern: '^(a+)+$' } } },
      }),
    },
    credential: 'key',
    request: ({ agentId, time }) => runs(agentId, { a: `${'a'.repeat(128)}!`, b: `${'a'.repeat(5_000)}!`, time }),
    statuses: [422],
  },
  {
    name: 'compile bomb',
    what: 'schemas of 64 KB, and the heaviest ones that are accepted by weight',
    credential: 'key',
    request: ({ time }) => ({ path: '/agents/custom', body: time % 2 === 0 ? heaviest(time) : tooLarge(time) }),
    statuses: [201, 422],
  },
  {
    name: 'many validators',
    what: 'schemas with 300 references, each different, so that the service keeps as many validators as it may',
    credential: 'key',
    request: ({ time }) => ({ path: '/agents/custom', body: manyReferences(time) }),
    statuses: [201],
  },
  {
    name: 'endless check',
    what: 'a recursive schema whose evaluation doubles with every level of the value: each check ends at its limit',
    agent: { body: custom({ input_schema: doubling }) },
    credential: 'key',
    request: ({ agentId, time }) => runs(agentId, nested(28, time)),
    statuses: [422],
  },
]

/** Ordinary, with a pattern: the check needs a thread. */
export const ordinaryAgent = custom({
  name: 'Ordinary',
  input_schema: {
    type: 'object',
    properties: {
      query: { type: 'string', minLength: 1 },
      date: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
    },
    required: ['query'],
  },
})
