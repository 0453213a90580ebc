export const faults = ['refused', 'hung', 'slow', 'half-open'] as const

export type Fault = (typeof faults)[number]

export const parts = [
  'Postgres',
  'Redis',
  'engine',
  'model provider',
  'MCP server',
  'remote agent',
  'webhook receiver',
  'DNS',
] as const

export type Part = (typeof parts)[number]

/** What a caller observes when a part has a fault. The test plays each row, and the page is made from it. */
export type FailureMode = {
  readonly part: Part
  readonly fault: Fault
  /** The answers that are right, each as the test words it. */
  readonly answers: readonly string[]
  readonly withinMs: number
  /** For the page. */
  readonly sees: string
}

const modes = (
  part: Part,
  rows: Readonly<Record<Fault, Omit<FailureMode, 'part' | 'fault'>>>,
): readonly FailureMode[] => Object.entries(rows).map(([fault, row]) => ({ part, fault: fault as Fault, ...row }))

/** `Prefer: wait` of the probes of the parts inside, and the timeout of the runs that call a part outside. */
export const waitSeconds = 5
export const runTimeoutSeconds = 5

const waitMs = waitSeconds * 1000
const runTimeoutMs = runTimeoutSeconds * 1000
const untilTimeout = 'The run ends with `run_timeout` at its timeout'

export const failureModes: readonly FailureMode[] = [
  ...modes('Postgres', {
    refused: {
      answers: ['503 unavailable'],
      withinMs: 1_000,
      sees: '`POST /runs` is refused with 503 `unavailable` and `Retry-After`. Nothing is accepted that is not stored.',
    },
    hung: {
      answers: ['503 unavailable'],
      withinMs: 7_000,
      sees: '503 `unavailable`: first after the timeout of a statement, then, while no connection opens, within a second.',
    },
    slow: {
      answers: ['200 completed', '202 queued', '202 running', '503 unavailable'],
      withinMs: waitMs + 7_000,
      sees: 'Answers take longer. A request that gets no connection within 500 ms is refused with 503 `unavailable`.',
    },
    'half-open': {
      answers: ['200 completed', '202 queued', '202 running', '503 unavailable'],
      withinMs: waitMs + 7_000,
      sees: 'Requests on dead connections are refused with 503 `unavailable` after the timeout of a statement. Others get new connections.',
    },
  }),
  ...modes('Redis', {
    refused: { answers: ['200 completed'], withinMs: waitMs, sees: 'The result, up to 1 second later.' },
    hung: { answers: ['200 completed'], withinMs: waitMs, sees: 'The result, up to 1 second later.' },
    slow: { answers: ['200 completed'], withinMs: waitMs, sees: 'The result, up to 1 second later.' },
    'half-open': { answers: ['200 completed'], withinMs: waitMs, sees: 'The result, up to 1 second later.' },
  }),
  ...modes('engine', {
    refused: {
      answers: ['202 queued'],
      withinMs: waitMs + 1_000,
      sees: 'The run is accepted and waits: 202 after the wait. It continues when the engine is back.',
    },
    hung: {
      answers: ['202 queued'],
      withinMs: waitMs + 1_000,
      sees: 'As refused. Every request to the engine ends after 3 seconds, so none piles up.',
    },
    slow: { answers: ['200 completed'], withinMs: waitMs, sees: 'The result, later by the delay.' },
    'half-open': {
      answers: ['200 completed', '202 queued', '202 running'],
      withinMs: waitMs + 1_000,
      sees: 'A run whose dispatch was lost is sent again over a new connection, a few seconds later.',
    },
  }),
  ...modes('model provider', {
    refused: {
      answers: ['200 failed model_error'],
      withinMs: 20_000,
      sees: 'The run fails with `model_error`, retryable, after 5 tries within 15 seconds.',
    },
    hung: {
      answers: ['200 failed run_timeout'],
      withinMs: runTimeoutMs + 2_000,
      sees: `${untilTimeout}. A call that is silent for 5 minutes is tried again before.`,
    },
    slow: { answers: ['200 completed'], withinMs: runTimeoutMs, sees: 'The result, later by the delay.' },
    'half-open': {
      answers: ['200 completed', '200 failed run_timeout'],
      withinMs: runTimeoutMs + 2_000,
      sees: `${untilTimeout} if a dead connection is used again. Idle connections are closed after 4 seconds, so this is rare.`,
    },
  }),
  ...modes('MCP server', {
    refused: {
      answers: ['200 failed tool_error'],
      withinMs: 15_000,
      sees: 'The run fails with `tool_error`, retryable.',
    },
    hung: {
      answers: ['200 failed tool_error'],
      withinMs: 17_000,
      sees: 'The run fails with `tool_error` when its tools are not listed within 15 seconds. A call may take 2 minutes.',
    },
    slow: { answers: ['200 completed'], withinMs: 15_000, sees: 'The result, later by the delay.' },
    'half-open': {
      answers: ['200 completed', '200 failed tool_error'],
      withinMs: 17_000,
      sees: 'As hung, if a dead connection is used again: the run fails with `tool_error`.',
    },
  }),
  ...modes('remote agent', {
    refused: {
      answers: ['200 failed agent_error'],
      withinMs: 20_000,
      sees: 'The run fails with `agent_error`, retryable, after 5 tries within 15 seconds.',
    },
    hung: {
      answers: ['200 failed run_timeout'],
      withinMs: runTimeoutMs + 2_000,
      sees: `${untilTimeout}.`,
    },
    slow: { answers: ['200 completed'], withinMs: runTimeoutMs, sees: 'The result, later by the delay.' },
    'half-open': {
      answers: ['200 completed', '200 failed run_timeout'],
      withinMs: runTimeoutMs + 2_000,
      sees: `${untilTimeout} if a dead connection is used again.`,
    },
  }),
  ...modes('webhook receiver', {
    refused: {
      answers: ['attempt failed'],
      withinMs: 10_000,
      sees: 'Runs are not affected. The attempt failed; the delivery is tried again with longer and longer pauses.',
    },
    hung: {
      answers: ['attempt failed'],
      withinMs: 15_000,
      sees: 'Runs are not affected. The attempt failed after 10 seconds; the delivery is tried again.',
    },
    slow: { answers: ['delivered'], withinMs: 15_000, sees: 'Runs are not affected. The event is delivered later.' },
    'half-open': {
      answers: ['delivered', 'attempt failed'],
      withinMs: 15_000,
      sees: 'Runs are not affected. An attempt over a dead connection failed after 10 seconds, the next one is delivered.',
    },
  }),
  ...modes('DNS', {
    refused: {
      answers: ['dns failed'],
      withinMs: 5_000,
      sees: 'The part whose name is looked up counts as refused: the call failed, and is tried again as for that part.',
    },
    hung: {
      answers: ['dns failed'],
      withinMs: 5_000,
      sees: 'As refused. A look-up that failed has taken 5 seconds at most.',
    },
    slow: { answers: ['answered'], withinMs: 5_000, sees: 'The call is answered, later by the delay.' },
    'half-open': {
      answers: ['answered'],
      withinMs: 5_000,
      sees: 'Look-ups use UDP, so there is no connection to lose. A lost query is sent again and answered.',
    },
  }),
]
