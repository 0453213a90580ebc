/**
 * The `test-*` family: agents that need no model and cost nothing, steered by their input. Pure: one step is decided
 * here and carried out elsewhere.
 */
export type SimulatedStep = {
  delayMs: number
  /** Leaves a mark outside the database, for tests that count how often a step ran. */
  recorded: boolean
  /** Kills its own process, for tests of what that does to others. Only a test stack obeys. */
  deadly: boolean
  /** Null: another step follows. */
  output: Record<string, unknown> | null
}

export const simulatedModels = ['simulated/echo', 'simulated/steps', 'simulated/slow'] as const
export type SimulatedModel = (typeof simulatedModels)[number]

export const isSimulated = (model: unknown): model is SimulatedModel =>
  simulatedModels.includes(model as SimulatedModel)

export const simulateStep = (
  model: SimulatedModel,
  input: Readonly<Record<string, unknown>>,
  step: number,
): SimulatedStep => simulations[model](input, step)

const simulations: Record<SimulatedModel, (input: Readonly<Record<string, unknown>>, step: number) => SimulatedStep> = {
  'simulated/echo': (input) => ({
    delayMs: 0,
    recorded: false,
    deadly: false,
    output: { result: typeof input.query === 'string' ? input.query : JSON.stringify(input) },
  }),
  'simulated/steps': (input, step) => {
    const steps = wholeNumber(input.steps, { fallback: 3, most: 100 })
    return {
      delayMs: wholeNumber(input.delay_ms, { fallback: 0, most: 600_000 }),
      recorded: true,
      deadly: input.kill_worker_at_step === step,
      output: step < steps ? null : { result: `${steps} steps done`, steps },
    }
  },
  'simulated/slow': (input) => {
    const seconds = wholeNumber(input.seconds, { fallback: 5, most: 3600 })
    return {
      delayMs: seconds * 1000,
      recorded: false,
      deadly: false,
      output: { result: `waited ${seconds} s`, seconds },
    }
  },
}

const wholeNumber = (value: unknown, { fallback, most }: { fallback: number; most: number }): number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? Math.min(value, most) : fallback
