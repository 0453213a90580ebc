import { agents } from './agents.ts'
import { connectors } from './connectors.ts'
import type { Operations } from './operation.ts'
import { runs } from './runs.ts'

/** The whole contract: a resource, its operations. */
export const contract = { runs, agents, connectors } as const satisfies Record<string, Operations>

/** The version is the last segment of the base address; the revision is a label on every answer. */
export const apiBasePath = '/v2'
export const apiRevision = 'v2.4'
export const apiVersion = '2.4.0'

export { Agent } from './agents.ts'
export { Connector, CreateConnector, connectorLimits } from './connectors.ts'
export { ErrorBody } from './error-body.ts'
export { type ErrorCode, errors, errorType, protocolErrors } from './errors.ts'
export { ActionId, AgentId, ConnectorId, type Id, PipelineRunId, RunId } from './ids.ts'
export { limits } from './limits.ts'
export { Answer, EventStream, type Handlers, type Operation, type Operations, type StreamSink } from './operation.ts'
export { type Plan, plans } from './plans.ts'
export { RunDiagnosis, RunFrame, RunStep } from './run-views.ts'
export { Run, type RunErrorCode, type RunStatus, runErrorCodes, runStatuses } from './runs.ts'
export { type Scope, scopes } from './scopes.ts'
