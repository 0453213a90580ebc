/** Operation → status → how many answers. */
export type Answers = Readonly<Record<string, Readonly<Record<string, number>>>>

export type Outcome = {
  cases: number
  seed: string
  seconds: number
  hasPassed: boolean
  answers: Answers
}

export const totalOf = (answers: Answers): number =>
  Object.values(answers).reduce((sum, counts) => sum + Object.values(counts).reduce((one, two) => one + two, 0), 0)

export const merged = (parts: readonly Answers[]): Answers => Object.assign({}, ...parts) as Answers
