import { ConnectorId } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { toUuid } from '@ars/platform/id'
import { findConnectors } from './connector.store.ts'
import type { Connector } from './connector.ts'
import type { McpSession } from './mcp-session.service.ts'
import { mergeSelections, nameAll, type PinnedTool, selectTools, type ToolLimits, whyOff } from './tool-list.ts'
import type { ToolListings } from './tool-listing.service.ts'
import { findPinned, isApproved } from './tool-pin.store.ts'
import {
  type CallOptions,
  type McpResult,
  type OffTool,
  type Tool,
  ToolFailure,
  type ToolSelection,
} from './toolbox.ts'

/** The tools of one step. The opener closes it. */
export type Toolbox = {
  /** Approved tools only, as they were approved. */
  readonly tools: readonly Tool[]
  /** Tools that the agent could have and that are off, by the names that a model would use, each with the reason. */
  readonly off: ReadonlyMap<string, string>
  /**
   * Sends one call. The key (`run/step/call`) is in the request's `_meta` and in the `Idempotency-Key` header. Throws
   * a ToolFailure when the tool is off by now, or when the server cannot be reached or does not answer; an error that
   * the tool returns is an answer.
   */
  call(name: string, args: Readonly<Record<string, unknown>>, options: CallOptions): Promise<McpResult>
  close(): Promise<void>
}

type Deps = {
  readonly app: Database
  readonly listings: ToolListings
  readonly limits: ToolLimits
}

/**
 * Creates the function that opens the tools of a step. A list that is still fresh is read from the database and the
 * server is not called; otherwise the server is asked, and what it has changed is off before the step begins.
 */
export const createToolboxes = ({ app, listings, limits }: Deps) => {
  const servers = (org: string, connectors: readonly Connector[], signal: AbortSignal) => {
    const sessions = new Map<string, Promise<McpSession>>()
    return {
      /** All or none: sessions that were opened beside a failed one are closed by the caller. */
      check: async (): Promise<void> => {
        const outcomes = await Promise.allSettled(
          connectors
            .filter(({ tools_are_fresh }) => !tools_are_fresh)
            .map(async (connector) => {
              const { session, listing } = await listings.list(org, connector, signal)
              sessions.set(connector.id, Promise.resolve(session))
              await listings.record(org, connector, listing)
            }),
        )
        const failed = outcomes.find((outcome) => outcome.status === 'rejected')
        if (failed) throw failed.reason
      },
      session: async (connector: Connector, known: readonly PinnedTool[]): Promise<McpSession> => {
        const manifests = known.flatMap(({ manifest }) => (manifest ? [manifest] : []))
        const opening = sessions.get(connector.id) ?? listings.connect(org, connector, manifests, signal)
        sessions.set(connector.id, opening)
        // The next call tries again.
        opening.catch(() => sessions.delete(connector.id))
        return opening
      },
      close: async (): Promise<void> => {
        const opened = await Promise.allSettled(sessions.values())
        await Promise.allSettled(opened.map((each) => each.status === 'fulfilled' && each.value.close()))
      },
    }
  }

  return async (org: string, selections: readonly ToolSelection[], signal: AbortSignal): Promise<Toolbox> => {
    const wanted = mergeSelections(selections)
    if (wanted.length === 0) return emptyToolbox
    if (wanted.length > limits.maxServers) throw impossible(`An agent uses at most ${limits.maxServers} connectors`)
    const connectors = await findSelected(app, org, wanted)
    const { check, session, close } = servers(org, connectors, signal)
    try {
      await check()
      const pinned = await readPinned(app, org, wanted)
      const chosen = wanted.map((selection, at) => selectTools(pinned.get(connectors[at]?.id ?? '') ?? [], selection))
      const { tools, off } = nameAll(
        chosen.flatMap((each) => each.tools),
        chosen.flatMap((each) => each.off),
      )
      if (tools.length > limits.maxTools) {
        const counted = `The agent’s connectors offer ${tools.length} tools, and a model is shown at most ${limits.maxTools}`
        throw impossible(`${counted}; name those that the agent needs in \`allow\``)
      }
      const byName = new Map(tools.map((tool) => [tool.name, tool]))
      return {
        tools,
        off: new Map([...off].map(([name, tool]) => [name, wordsOf(tool)])),
        close,
        call: async (name, args, options) => {
          const tool = byName.get(name)
          const connector = tool && connectors[wanted.findIndex(({ connectorId }) => connectorId === tool.connectorId)]
          if (!connector)
            throw impossible(off.has(name) ? wordsOf(off.get(name) as OffTool) : `There is no tool ${name}`)
          // Another worker or a person may have learnt of a change since this step began.
          const seen = { connectorId: connector.id, name: tool.remoteName, hash: tool.hash }
          if (!(await isApproved(app, org, seen))) throw impossible(wordsOf({ ...tool, state: 'changed' }))
          const opened = await session(connector, pinned.get(connector.id) ?? [])
          return opened.call(tool.remoteName, args, options)
        },
      }
    } catch (error) {
      await close()
      throw error
    }
  }
}

/** For the model and the people who read the run. */
const wordsOf = ({ name, state }: Pick<OffTool, 'name' | 'state'>): string =>
  `The tool ${name} ${whyOff[state]}. It was not called`

const impossible = (message: string): ToolFailure => new ToolFailure(message, { outcome: 'not_sent', retryable: false })

const emptyToolbox: Toolbox = {
  tools: [],
  off: new Map(),
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

/** The stored tools by the UUIDs of their connectors. */
const readPinned = async (
  app: Database,
  org: string,
  wanted: readonly ToolSelection[],
): Promise<Map<string, PinnedTool[]>> => {
  const idsOf = (selections: readonly ToolSelection[]) => selections.map(({ connectorId }) => toUuid(connectorId))
  const rows = await findPinned(app, org, {
    whole: idsOf(wanted.filter(({ allow }) => allow === undefined)),
    partly: idsOf(wanted.filter(({ allow }) => allow !== undefined)),
    names: wanted.flatMap(({ allow }) => allow ?? []),
  })
  return Map.groupBy(rows, ({ connector_id }) => connector_id)
}
