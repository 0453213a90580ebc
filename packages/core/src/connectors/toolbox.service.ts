import { ConnectorId } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import type { Egress } from '@ars/platform/egress/egress'
import { fromUuid, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import type { SecretService } from '../secrets/index.ts'
import { findConnectors } from './connector.store.ts'
import { authHeaders, type Connector, sealContextOf } from './connector.ts'
import { type McpSession, openMcpSession } from './mcp-session.service.ts'
import { mergeSelections, nameTools, selectTools, type ToolLimits, toolLimits } from './tool-list.ts'
import {
  type CallOptions,
  type LeftOut,
  type McpResult,
  type Tool,
  ToolFailure,
  type ToolSelection,
} from './toolbox.ts'

/** The tools of one step. The opener closes it. */
export type Toolbox = {
  readonly tools: readonly Tool[]
  /** Tools that the servers list, or the agent names, and that cannot be offered to a model. */
  readonly leftOut: readonly LeftOut[]
  /**
   * Sends one call. The key (`run/step/call`) is in the request's `_meta` and in the `Idempotency-Key` header. Throws
   * a ToolFailure when the server cannot be reached or does not answer; an error that the tool returns is an answer.
   */
  call(name: string, args: Readonly<Record<string, unknown>>, options: CallOptions): Promise<McpResult>
  close(): Promise<void>
}

type Deps = {
  readonly app: Database
  readonly egress: Egress
  readonly secrets: SecretService
  readonly log: Log
  readonly toolLimits?: Partial<ToolLimits>
}

/** Creates the function that opens the tools of a step. */
export const createToolboxes = (deps: Deps) => {
  const limits: ToolLimits = { ...toolLimits, ...deps.toolLimits }

  const credentialOf = async (org: string, connector: Connector): Promise<string | null> => {
    if (connector.credential === null) return null
    try {
      return await deps.secrets.open(org, connector.credential, sealContextOf(connector))
    } catch (error) {
      // The key service may be back in a moment; then the step is repeated.
      if (error instanceof DatabaseUnavailable) throw error
      deps.log.error('credential does not open', { org_id: org, connector_id: fromUuid('con', connector.id), error })
      throw impossible(
        `Connector “${connector.name}”: its credential cannot be opened. Tell the operator of the service`,
      )
    }
  }

  const openServer = async (org: string, connector: Connector, signal: AbortSignal): Promise<McpSession> => {
    const { name, url } = connector
    const credential = await credentialOf(org, connector)
    const server = { org, name, url, credential, headers: authHeaders(connector, credential) }
    return openMcpSession({ egress: deps.egress, limits }, server, signal)
  }

  return async (org: string, selections: readonly ToolSelection[], signal: AbortSignal): Promise<Toolbox> => {
    const wanted = mergeSelections(selections)
    if (wanted.length === 0) return emptyToolbox
    if (wanted.length > limits.maxServers) throw impossible(`An agent uses at most ${limits.maxServers} connectors`)
    const connectors = await findSelected(deps.app, org, wanted)
    const sessions = await openAll(connectors.map((connector) => openServer(org, connector, signal)))
    const close = async (): Promise<void> => {
      await Promise.allSettled(sessions.map((session) => session.close()))
    }
    const chosen = wanted.map((selection, at) => selectTools(sessions[at]?.listed ?? [], selection, limits))
    const leftOut = chosen.flatMap((one) => one.leftOut)
    for (const { connectorId, reason } of leftOut)
      deps.log.info('tool left out', { org_id: org, connector_id: connectorId, reason })
    const tools = nameTools(chosen.flatMap((one) => one.tools))
    if (tools.length > limits.maxTools) {
      await close()
      const counted = `The agent’s connectors offer ${tools.length} tools, and a model is shown at most ${limits.maxTools}`
      throw impossible(`${counted}; name those that the agent needs in \`allow\``)
    }
    const byName = new Map(tools.map((tool) => [tool.name, tool]))
    const sessionOf = new Map(wanted.map(({ connectorId }, at) => [connectorId, sessions[at]]))
    return {
      tools,
      leftOut,
      close,
      call: async (name, args, options) => {
        const tool = byName.get(name)
        const session = tool && sessionOf.get(tool.connectorId)
        if (!session) throw impossible(`There is no tool ${name}`)
        return session.call(tool.remoteName, args, options)
      },
    }
  }
}

const impossible = (message: string): ToolFailure => new ToolFailure(message, { outcome: 'not_sent', retryable: false })

const emptyToolbox: Toolbox = {
  tools: [],
  leftOut: [],
  close: () => Promise.resolve(),
  call: (name) => Promise.reject(impossible(`There is no tool ${name}`)),
}

/**
 * In the order of the selections. A deleted connector and one of another organisation are both missing, with the same
 * message.
 */
const findSelected = async (app: Database, org: string, wanted: readonly ToolSelection[]): Promise<Connector[]> => {
  const uuids = wanted.map(({ connectorId }) => {
    if (!ConnectorId.safeParse(connectorId).success) throw impossible(`There is no connector ${connectorId}`)
    return toUuid(connectorId)
  })
  const found = new Map((await findConnectors(app, org, uuids)).map((connector) => [connector.id, connector]))
  return uuids.map((uuid, at) => {
    const connector = found.get(uuid)
    if (!connector) throw impossible(`There is no connector ${wanted[at]?.connectorId}; was it deleted?`)
    return connector
  })
}

/** All or none: sessions that were opened beside a failed one are closed again. */
const openAll = async (opening: readonly Promise<McpSession>[]): Promise<McpSession[]> => {
  const outcomes = await Promise.allSettled(opening)
  const sessions = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (!failed) return sessions
  await Promise.allSettled(sessions.map((session) => session.close()))
  throw failed.reason
}
