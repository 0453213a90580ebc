export { type AccessService, createAccess } from './access.service.ts'
export { apiKeyApi } from './api-key.api.ts'
export { sessionTokenApi } from './session-token.api.ts'
export { sessionTokenSweep } from './session-token.sweep.ts'
