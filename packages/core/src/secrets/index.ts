export { checkKeks, rewrapKeys } from './rewrap.service.ts'
export { createSecrets, type SecretService } from './secret.service.ts'
