import { limitRows, numbersOf } from './bounds.ts'

/** Every limit that a client can reach, with minima and defaults. The name ends in the unit. */
export const limits = {
  ...numbersOf(limitRows),
  /** Below the 60 s after which common proxies close an idle request. */
  waitDefaultSeconds: 55,
  runTimeoutDefaultSeconds: 600,
  /** Model calls and groups of tool calls of one run. An agent can set another value. */
  stepsDefault: 100,
  sessionTokenDefaultSeconds: 900,
  shareDefaultSeconds: 604_800,
  passwordMinChars: 12,
  /** Default time for which the old signing secret of a remote agent signs beside the new one. */
  signingSecretOverlapHours: 24,
  webhookSecretMinChars: 24,
  /** Default time for which the old secret signs beside the new one. */
  webhookSecretOverlapHours: 24,
  /** Figures are counted by minute. */
  alertWindowMinSeconds: 120,
  alertWindowDefaultSeconds: 300,
  alertSampleSizeDefault: 10,
  trialRunsDefault: 10_000,
  pageSizeDefault: 20,
} as const
