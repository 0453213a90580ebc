import type { Side, WindowMetrics, WindowOrder } from '../../lab/measure/load.ts'

/** How the generator reaches one side. Both get the same body and a fresh `Idempotency-Key` with every call. */
export type Target = {
  /** Callers are spread over them. */
  origins: readonly string[]
  path: string
  headers: Record<string, string>
  /** The certificate to trust; without it the side is called in the clear. */
  ca?: string
  body: string
  /** Calls in turn instead, each with its authorization and its body. */
  turns?: readonly { authorization: string; body: string }[]
  /** What every good answer contains. */
  expect: string
  /** The status of a good answer; undefined: 200. */
  status?: number
}

export type Setup = {
  kind: 'setup'
  targets: Record<Side, Target>
}

export type ToGenerator = Setup | WindowOrder
export type FromGenerator =
  | { kind: 'ready' }
  | { kind: 'opened' }
  | { kind: 'closed' }
  | { kind: 'done'; metrics: WindowMetrics }
