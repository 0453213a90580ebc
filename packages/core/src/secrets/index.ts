export { type RotationReport, retiredKeptHours, rotateDataKeys } from './data-key-rotation.service.ts'
export { checkKeks, rewrapKeys } from './rewrap.service.ts'
export type { SealedPlace } from './sealed-place.store.ts'
export { createSecrets, type SecretService } from './secret.service.ts'
