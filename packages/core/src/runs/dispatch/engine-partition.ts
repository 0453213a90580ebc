/** The engine divides the 64-bit partition keys into equal ranges. */
export const partitionOf = (partitionKey: number, partitionCount: number): number =>
  Math.min(partitionCount - 1, Math.floor((partitionKey / 2 ** 64) * partitionCount))
