import { Pool } from 'undici'
import type { Clock } from '../clock.ts'

/**
 * The nodes of an engine that accept the same requests. A request goes to the first node of the list; if it does not
 * respond, to the next. A node that failed is skipped for a while, then one request tries it again.
 */
export type EngineNodes = {
  /** Ends within the timeout per node that is tried. Every request may arrive twice, so it must be idempotent. */
  request(request: NodeRequest): Promise<NodeResponse>
  close(): Promise<void>
}

export type NodeRequest = {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  headers?: Record<string, string>
  body?: string
}

export type NodeResponse = { statusCode: number; text: string }

const skipMs = 10_000
/** A node that answers so is a proxy without a node, or a node without a leader. */
const failedStatuses: readonly number[] = [502, 503, 504]

type Node = { pool: Pool; skippedUntilMs: number }

export const openEngineNodes = ({
  urls,
  connections,
  timeoutMs,
  clock,
}: {
  urls: readonly string[]
  connections: number
  timeoutMs: number
  clock: Clock
}): EngineNodes => {
  const nodes: Node[] = urls.map((url) => ({
    pool: new Pool(url, { connections, pipelining: 1 }),
    skippedUntilMs: Number.NEGATIVE_INFINITY,
  }))

  /** If all nodes are skipped, the one that failed first is tried: the list may have a single node. */
  const candidates = (nowMs: number): Node[] => {
    const usable = nodes.filter(({ skippedUntilMs }) => skippedUntilMs <= nowMs)
    return usable.length > 0 ? usable : nodes.toSorted((a, b) => a.skippedUntilMs - b.skippedUntilMs).slice(0, 1)
  }

  const send = async (node: Node, request: NodeRequest): Promise<NodeResponse> => {
    // This includes the waits for a connection and for the body, which the timeouts of the library do not.
    const { statusCode, body } = await node.pool.request({ ...request, signal: AbortSignal.timeout(timeoutMs) })
    const text = await body.text()
    if (failedStatuses.includes(statusCode)) throw new Error(`The engine answered ${statusCode}: ${text.slice(0, 300)}`)
    return { statusCode, text }
  }

  const tryNode = async (node: Node, request: NodeRequest): Promise<NodeResponse> => {
    // A node that failed before is tried by one request, not by all of them.
    if (node.skippedUntilMs > Number.NEGATIVE_INFINITY) node.skippedUntilMs = clock.monotonicMs() + skipMs
    try {
      const response = await send(node, request)
      node.skippedUntilMs = Number.NEGATIVE_INFINITY
      return response
    } catch (error) {
      node.skippedUntilMs = clock.monotonicMs() + skipMs
      throw error
    }
  }

  return {
    request: async (request) => {
      let failure: unknown
      for (const node of candidates(clock.monotonicMs())) {
        try {
          return await tryNode(node, request)
        } catch (error) {
          failure = error
        }
      }
      throw failure
    },
    close: async () => {
      await Promise.all(nodes.map(({ pool }) => pool.destroy()))
    },
  }
}
