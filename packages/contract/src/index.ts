import { agents } from './agents.ts'
import type { Operations } from './operation.ts'
import { runs } from './runs.ts'

/** The whole contract: a resource, its operations. */
export const contract = { runs, agents } as const satisfies Record<string, Operations>

/** The version is the last segment of the base address; the revision is a label on every answer. */
export const apiBasePath = '/v2'
export const apiRevision = 'v2.4'
export const apiVersion = '2.4.0'

export { Agent } from './agents.ts'
export { ErrorBody } from './error-body.ts'
export { type ErrorCode, errors, errorType, protocolErrors } from './errors.ts'
export { AgentId, type Id, RunId } from './ids.ts'
export { limits } from './limits.ts'
export { Answer, type Handlers, type Operation, type Operations } from './operation.ts'
export { Run, type RunErrorCode, type RunStatus, runStatuses } from './runs.ts'
export { type Scope, scopes } from './scopes.ts'
