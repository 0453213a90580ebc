/** The least and the greatest of however many: spread into arguments, a hundred thousand numbers are more than the stack holds. */
export const leastOf = (numbers: readonly number[]): number =>
  numbers.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY)

export const mostOf = (numbers: readonly number[]): number =>
  numbers.reduce((most, each) => Math.max(most, each), Number.NEGATIVE_INFINITY)
