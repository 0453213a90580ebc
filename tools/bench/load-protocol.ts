/** What is called: the service, or the control behind the engine's own ingress. */
export type Side = 'service' | 'control'

/** How the generator reaches one side. Both get the same body and a fresh `Idempotency-Key` with every call. */
export interface Target {
  origin: string
  path: string
  headers: Record<string, string>
  /** The certificate to trust; without it the side is called in the clear. */
  ca?: string
  body: string
  /** What every good answer contains. */
  expect: string
}

export interface Setup {
  kind: 'setup'
  targets: Record<Side, Target>
}

export interface WindowOrder {
  kind: 'window'
  side: Side
  callers: number
  /** Load that is not measured, until both sides of the machine have switched over. */
  leadInMs: number
  lengthMs: number
  /** Arrivals per second that do not wait for answers; without it each caller calls again as soon as it has its answer. */
  ratePerSecond?: number
}

export interface WindowFigures {
  /** Good answers within the window. */
  answers: number
  seconds: number
  latencyMs: { mean: number; p50: number; p90: number; p99: number; most: number }
  /** All good answers, those of the lead-in and after the end too. */
  answersInAll: number
  /** The ids of the runs of all good answers; the control has none. */
  runIds: string[]
  /** All other answers by status, and failures to get one. */
  failures: Record<string, number>
}

export type ToGenerator = Setup | WindowOrder
export type FromGenerator = { kind: 'ready' } | { kind: 'opened' } | { kind: 'closed' } | Done
export interface Done {
  kind: 'done'
  figures: WindowFigures
}
