import { createServer, type Server } from 'node:net'
import { PartError } from './part.ts'

/** All ports of one stack, from one block, so that several stacks can run side by side. */
export type Ports = {
  base: number
  gateway: readonly [number, number]
  worker: number
  gatewayMetrics: readonly [number, number]
  workerMetrics: readonly [number, number]
  postgres: number
  redis: number
  restateIngress: number
  restateAdmin: number
  restateNode: number
  /** For the programs in examples/: the receiver, the remote agent and the MCP server. */
  examples: readonly [number, number, number]
}

const portBlockSize = 20
export const defaultPortBase = 8440

export const portBlock = (base: number): Ports => {
  if (!Number.isInteger(base) || base < 1024 || base > 65_535 - portBlockSize) {
    throw new PartError(`port base ${base} is not a whole number from 1024 to ${65_535 - portBlockSize}`)
  }
  return {
    base,
    gateway: [base + 3, base + 4],
    worker: base + 5,
    gatewayMetrics: [base + 6, base + 7],
    workerMetrics: [base + 8, base + 9],
    postgres: base + 10,
    redis: base + 11,
    restateIngress: base + 12,
    restateAdmin: base + 13,
    restateNode: base + 14,
    examples: [base + 15, base + 16, base + 17],
  }
}

export const requireFree = async (port: number, what: string): Promise<void> => {
  const server = await tryListen(port)
  if (!server) {
    throw new PartError(
      `port ${port}, which ${what} needs, is taken by another program (\`ss -ltnp 'sport = :${port}'\` shows which). ` +
        `Stop that one, or choose another block of ${portBlockSize} ports with --port-base or ARS_PORT_BASE.`,
    )
  }
  await close(server)
}

/**
 * Finds a block in which every port is free and keeps it from other searches until `release`: the block's last port, which
 * no part uses, stays occupied meanwhile. Blocks are tried from a point that differs per process.
 */
export const reserveFreeBlock = async (): Promise<{ base: number; release(): Promise<void> }> => {
  const { from, blocks } = searchRange()
  for (let n = 0; n < blocks; n++) {
    const base = from + ((n + process.pid) % blocks) * portBlockSize
    const mark = await tryListen(base + portBlockSize - 1)
    if (!mark) continue
    if (await isWholeBlockFree(base)) {
      mark.unref()
      return { base, release: () => close(mark) }
    }
    await close(mark)
  }
  throw new PartError(`none of ${blocks} blocks of ${portBlockSize} ports from ${from} on is free`)
}

/** Linux gives out ports from 32768 on to outgoing connections; below that nobody takes one by chance. */
const searchRange = (): { from: number; blocks: number } => {
  const base = process.env.ARS_PORT_BASE
  return base ? { from: Number(base), blocks: 20 } : { from: 24_000, blocks: 400 }
}

const isWholeBlockFree = async (base: number): Promise<boolean> => {
  for (let port = base; port < base + portBlockSize - 1; port++) {
    const server = await tryListen(port)
    if (!server) return false
    await close(server)
  }
  return true
}

const tryListen = (port: number): Promise<Server | undefined> =>
  new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', () => resolve(undefined))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server))
  })

const close = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()))
