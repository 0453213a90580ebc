/** Whom an attack is meant for, and what its sender knows. */
export type Target = {
  port: number
  /** The certificate, PEM. */
  ca: string
  /** A key that works, of a customer who means no good: most doors open only for one. */
  key: string
  agentId: string
}

/** How often which outcome was seen: a status, or a word of our own. */
export type Tally = Record<string, number>

export type Strength = {
  /** A share of the size that the promise names. */
  scale: number
  /** What the gateway under attack grants its clients. */
  headersTimeoutMs: number
  requestTimeoutMs: number
}

/** An attack under way. */
export type Assault = {
  /** Ends it, and answers what came of it. */
  stop(): Promise<Tally>
}

export type Attack = {
  name: string
  /** The attack at its full size. */
  what: string
  /** Every outcome that there may be. A tally with any other shows a hole. */
  outcomes: readonly string[]
  /** At least one of these must be there: without it the attack has not happened, or was not met. */
  proof: readonly string[]
  /** How long it must go on before the proof can be there. */
  leastMs?(strength: Strength): number
  /** Where more memory must be granted than the bar of the promise. */
  maxGrownBytes?(strength: Strength): number
  /** Resolves when the attack is in force. Runs in a separate process. */
  begin(target: Target, strength: Strength): Promise<Assault>
}

export const count = (tally: Tally, outcome: string | number, by = 1): void => {
  tally[outcome] = (tally[outcome] ?? 0) + by
}

export const scaled = (size: number, { scale }: Strength): number => Math.max(1, Math.round(size * scale))
