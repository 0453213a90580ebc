/** A step that began, written by the step itself outside the product's database. */
export type BegunStep = { key: string; step: number }

/** Reads the lines `<key> <step>` that the programs of the peers append. */
export const parseStepLog = (text: string): BegunStep[] =>
  text
    .split('\n')
    .map((line) => /^(\S+) (\d+)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, key = '', step]) => ({ key, step: Number(step) }))

export type StepCounts = {
  /** How often the first steps began in all. */
  first: number
  second: number
  /** First steps that began again. They had ended before the kill, so a durable product does not repeat them. */
  firstRepeated: number
  secondRepeated: number
}

export const countSteps = (begun: readonly BegunStep[]): StepCounts => {
  const of = (step: number) => begun.filter((each) => each.step === step).map(({ key }) => key)
  const repeated = (keys: readonly string[]): number => keys.length - new Set(keys).size
  const [first, second] = [of(1), of(2)]
  return {
    first: first.length,
    second: second.length,
    firstRepeated: repeated(first),
    secondRepeated: repeated(second),
  }
}
