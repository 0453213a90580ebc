import { batchLimits, limits } from '@ars/contract'

/** Operations whose body may be larger than that of others. */
const largeBodies: Readonly<Record<string, number>> = { 'batches.create': batchLimits.batchBytes }

/** The bytes that the body of an operation may have. */
export const maxBodyBytesOf = (operationName: string | undefined): number =>
  largeBodies[operationName ?? ''] ?? limits.bodyBytes
