import type { Random } from '../lab/random.ts'

/**
 * A pipeline whose outputs can be computed without the service. Each step computes a number from the numbers of the steps
 * before it: as CEL in the definition, and here in arithmetic of JavaScript.
 */
export type PipelineModel = {
  readonly steps: readonly ModelStep[]
  /** The body of `POST /v2/pipelines`, without its name. */
  definition(agentId: (name: 'test-echo' | 'test-steps') => string): object
  /** What a pipeline run without faults gives. */
  expect(input: ModelInput): ExpectedRun
}

export type ModelInput = { readonly seed: number; readonly items: readonly number[] }

export type ExpectedRun = {
  output: Record<string, unknown>
  /** For each step the runs of its items in order. None: the step is skipped. */
  runs: ReadonlyMap<string, readonly ExpectedStepRun[]>
}

/** `recorded`: how many steps of the run are in the ledger. */
export type ExpectedStepRun = { output: unknown; recorded: number }

export type ModelStep = {
  key: string
  /** `echo` returns its number as text. `steps` takes between 1 and 3 steps, by its number, and writes each into the ledger. */
  kind: 'echo' | 'steps'
  terms: readonly { of: string; weight: number }[]
  addend: number
  delayMs: number
  isForEach: boolean
  /** It runs only if its number is even. */
  isConditional: boolean
}

const modulus = 9973
const mostSteps = 3
/** The items of a `for_each` that its successors read. */
const readItems = [7, 13] as const
export const fanOut = 20
const dagSteps = 30
const chainSteps = 20

/** Steps with up to three predecessors, one `for_each`, and two final steps with a condition. */
export const dagModel = (random: Random, spreadKind: ModelStep['kind']): PipelineModel => {
  const spreadAt = 4
  const conditionalFrom = dagSteps - 2
  const steps: ModelStep[] = []
  for (let at = 0; at < dagSteps; at++) {
    const before = steps.filter(({ isConditional }) => !isConditional).map(({ key }) => key)
    // The step after the fan-out reads it. The others take any.
    const wanted = at === spreadAt + 1 ? [`s${spreadAt}`] : []
    const drawn = random.shuffle(before).slice(0, random.whole(1, 3))
    const of = at === 0 ? [] : [...new Set([...wanted, ...drawn])]
    steps.push({
      ...stepOf(random, at, of),
      ...(at === spreadAt && { kind: spreadKind }),
      isForEach: at === spreadAt,
      isConditional: at >= conditionalFrom,
    })
  }
  return modelOf(steps)
}

export const chainModel = (random: Random): PipelineModel =>
  modelOf(Array.from({ length: chainSteps }, (_, at) => stepOf(random, at, at === 0 ? [] : [`s${at - 1}`])))

export const modelInput = (random: Random): ModelInput => ({
  seed: random.whole(1, modulus),
  items: Array.from({ length: fanOut }, () => random.whole(1, modulus)),
})

const stepOf = (random: Random, at: number, of: readonly string[]): ModelStep => ({
  key: `s${at}`,
  kind: at % 3 === 2 ? 'steps' : 'echo',
  terms: of.map((key) => ({ of: key, weight: random.whole(2, 97) })),
  addend: random.whole(1, modulus),
  delayMs: random.whole(100, 400),
  isForEach: false,
  isConditional: false,
})

const modelOf = (steps: readonly ModelStep[]): PipelineModel => ({
  steps,
  definition: (agentId) => definitionOf(steps, agentId),
  expect: (input) => expectedOf(steps, input),
})

const definitionOf = (
  steps: readonly ModelStep[],
  agentId: Parameters<PipelineModel['definition']>[0],
): { steps: object[]; output: object } => {
  const byKey = new Map(steps.map((step) => [step.key, step]))
  const numberIn = (step: ModelStep, output: string): string =>
    step.kind === 'echo' ? `int(${output}.result)` : `int(${output}.steps)`
  const numberOf = (step: ModelStep): string => {
    const output = `steps.${step.key}.output`
    if (!step.isForEach) return numberIn(step, output)
    return `(${readItems.map((item) => numberIn(step, `${output}[${item}]`)).join(' + ')})`
  }
  const sumOf = ({ terms, addend, isForEach }: ModelStep): string => {
    const parts = terms.map(({ of, weight }) => `${weight} * ${numberOf(byKey.get(of) as ModelStep)}`)
    const own = isForEach ? ['int(item)', 'index'] : []
    return `(${[addend, 'int(input.seed)', ...own, ...parts].join(' + ')}) % ${modulus}`
  }
  const inputOf = (step: ModelStep): object =>
    step.kind === 'echo'
      ? { query: placeholder(`string(${sumOf(step)})`) }
      : { steps: placeholder(`1 + ${sumOf(step)} % ${mostSteps}`), delay_ms: step.delayMs }
  return {
    steps: steps.map((step) => ({
      key: step.key,
      agent_id: agentId(step.kind === 'echo' ? 'test-echo' : 'test-steps'),
      depends_on: step.terms.map(({ of }) => of),
      input: inputOf(step),
      ...(step.isForEach && { for_each: 'input.items', max_parallel: fanOut }),
      ...(step.isConditional && { when: `${sumOf(step)} % 2 == 0` }),
    })),
    output: {
      outputs: Object.fromEntries(steps.map(({ key }) => [key, placeholder(`steps.${key}.output`)])),
      statuses: Object.fromEntries(
        steps.filter(({ isConditional }) => isConditional).map(({ key }) => [key, placeholder(`steps.${key}.status`)]),
      ),
    },
  }
}

const expectedOf = (steps: readonly ModelStep[], { seed, items }: ModelInput): ExpectedRun => {
  const runs = new Map<string, readonly ExpectedStepRun[]>()
  const numbers = new Map<string, number>()
  for (const step of steps) {
    const base = step.terms.reduce((sum, { of, weight }) => sum + weight * (numbers.get(of) ?? Number.NaN), step.addend)
    const sums = step.isForEach ? items.map((item, index) => base + seed + item + index) : [base + seed]
    const made = sums.map((sum) => executed(step, sum % modulus))
    const isSkipped = step.isConditional && ((sums[0] ?? 0) % modulus) % 2 !== 0
    runs.set(step.key, isSkipped ? [] : made)
    const read = step.isForEach ? readItems.map((item) => made[item]) : made
    numbers.set(
      step.key,
      read.reduce((sum, each) => sum + (each?.number ?? Number.NaN), 0),
    )
  }
  const outputOf = ({ key, isForEach }: ModelStep): unknown => {
    const outputs = (runs.get(key) ?? []).map(({ output }) => output)
    return isForEach ? outputs : (outputs[0] ?? null)
  }
  return {
    runs,
    output: {
      outputs: Object.fromEntries(steps.map((step) => [step.key, outputOf(step)])),
      statuses: Object.fromEntries(
        steps
          .filter(({ isConditional }) => isConditional)
          .map(({ key }) => [key, runs.get(key)?.length === 0 ? 'skipped' : 'completed']),
      ),
    },
  }
}

const executed = ({ kind }: ModelStep, value: number): ExpectedStepRun & { number: number } => {
  if (kind === 'echo') return { output: { result: String(value) }, recorded: 0, number: value }
  const taken = 1 + (value % mostSteps)
  return { output: { result: `${taken} steps done`, steps: taken }, recorded: taken, number: taken }
}

const placeholder = (source: string): string => `\${{ ${source} }}`
