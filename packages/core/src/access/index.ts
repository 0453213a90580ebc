export { type AccessService, createAccess } from './access.service.ts'
