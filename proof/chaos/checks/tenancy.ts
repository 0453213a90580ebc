import { isExpected, type Operation } from './operations.ts'

/** C7: what one organisation sends is never in an answer to another, and another's run is not there at all. */
export const checkNothingLeaks = (operations: readonly Operation[]): string[] =>
  operations.flatMap((operation) => {
    const { org, what, key, answer } = operation
    const strangers = (answer?.leakMarkers ?? []).filter((found) => found !== org)
    const isShown = what === 'foreign' && (answer?.status ?? 0) < 300 && (answer?.status ?? 0) >= 200
    return [
      ...strangers.map((stranger) => `${org} was told of ${stranger} in the answer to ${what} ${key}`),
      ...(isShown && !isExpected(operation)
        ? [`${org} was answered ${answer?.status} for another’s run (${key})`]
        : []),
    ]
  })
