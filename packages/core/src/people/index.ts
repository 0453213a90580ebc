export { authApi, memberApi, sessionApi } from './people.api.ts'
export { createPeople, type People } from './people.service.ts'
export { scopesOfRole } from './role.ts'
