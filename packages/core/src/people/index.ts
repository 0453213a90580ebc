export { authApi, memberApi, sessionApi } from './people.api.ts'
export { createPeople, type People } from './people.service.ts'
export { peopleSweep } from './people.sweep.ts'
export { scopesOfRole } from './role.ts'
