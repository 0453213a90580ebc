/** A quota of this many runs a month or more is none. Clients show it as such, and the descriptions of the fields say so. */
export const unlimitedCallsPerMonth = 1_000_000_000_000

/** The limits of each plan, unless the operator's file of plans has other numbers. */
export const plans = {
  demo: { requestsPerMinute: 10, burst: 15, callsPerMonth: 1_000, concurrentRuns: 2, runTimeoutMaxSeconds: 120 },
  free: { requestsPerMinute: 100, burst: 150, callsPerMonth: 10_000, concurrentRuns: 5, runTimeoutMaxSeconds: 600 },
  developer: {
    requestsPerMinute: 1_000,
    burst: 1_500,
    callsPerMonth: 250_000,
    concurrentRuns: 50,
    runTimeoutMaxSeconds: 3_600,
  },
  business: {
    requestsPerMinute: 10_000,
    burst: 15_000,
    callsPerMonth: 5_000_000,
    concurrentRuns: 500,
    runTimeoutMaxSeconds: 86_400,
  },
  // Defaults. The operator sets the numbers of each organisation.
  enterprise: {
    requestsPerMinute: 10_000,
    burst: 15_000,
    callsPerMonth: 5_000_000,
    concurrentRuns: 500,
    runTimeoutMaxSeconds: 86_400,
  },
  // No price tier: an organisation of the operator's own. Only what protects the installation is limited.
  none: {
    requestsPerMinute: 10_000,
    burst: 15_000,
    callsPerMonth: unlimitedCallsPerMonth,
    concurrentRuns: 500,
    runTimeoutMaxSeconds: 86_400,
  },
} as const

export type Plan = keyof typeof plans

/** The limits of an organisation: those of its plan, or others that the operator has set. */
export type PlanLimits = { readonly [Name in keyof (typeof plans)['free']]: number }
