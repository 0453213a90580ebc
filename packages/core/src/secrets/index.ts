export { createSecrets, type SecretService } from './secret.service.ts'
