import type { CpuUse } from './cpu.ts'

/** The called side: the service, or the control that does the same work without it. */
export type Side = 'service' | 'control'

export type WindowOrder = {
  kind: 'window'
  side: Side
  callers: number
  /** Load that is not measured, until both sides of the machine have switched over. */
  leadInMs: number
  lengthMs: number
  /** Arrivals per second that do not wait for answers; without it each caller calls again as soon as it has its answer. */
  ratePerSecond?: number
}

export type WindowMetrics = {
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

/** The metrics of a window, with the CPU time of all parts over exactly that time. */
export type WindowResult = WindowMetrics & {
  order: WindowOrder
  cpu: CpuUse
}

export type Load = {
  run(order: Omit<WindowOrder, 'kind'>): Promise<WindowResult>
  /** The share of the machine that others use while nothing is measured, over one second. */
  listen(): Promise<number>
  pid(): number | undefined
  close(): void
}
