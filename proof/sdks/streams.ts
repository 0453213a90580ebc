import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerPart } from '@ars/tools/dev/server'
import type { TemporaryStack } from '../lab/stack/temporary-stack.ts'
import { lastLine, outcomeOf, type Sdk } from './sdk.ts'

export type StreamsOutcome = { streams: number; frames: number; kills: number; faults: string[] }

/** Few, so that 1,000 streams last longer than 20 kills. */
const atOnce = 12
/** How long both gateways serve before one of them is killed. */
const servesMs = 1_000

/**
 * Opens streams with an SDK through two gateways, of which one after the other is killed and started again. The program
 * of the SDK prints `{"streams", "frames", "faults"}`; sdks/go/internal/streams/main.go says what it checks.
 */
export const streamThroughKills = async (
  sdk: Sdk,
  temporary: TemporaryStack,
  count: number,
): Promise<StreamsOutcome | undefined> => {
  if (!sdk.streams) return undefined
  const { stack, seed } = temporary
  const gateways = ([1, 2] as const).map((index) => stack.server({ role: 'gateway', index }))
  const worker = stack.server({ role: 'worker' })
  await Promise.all([...gateways, worker].map((part) => part.start()))
  const alive = new Set(gateways)
  const balancer = await startBalancer(alive)
  const { port } = balancer.address() as AddressInfo
  const service = { baseUrl: `https://localhost:${port}/v2`, apiKey: seed.api_key, caFile: stack.tls.certFile }
  const program = await sdk.streams(service)
  const env = {
    ...program.env,
    ARS_AGENT_ID: temporary.agentId('test-stream'),
    ARS_STREAMS: String(count),
    ARS_STREAMS_AT_ONCE: String(atOnce),
  }
  let isRunning = true
  const finished = outcomeOf({ ...program, env }).finally(() => {
    isRunning = false
  })
  let kills = 0
  for (let turn = 0; isRunning; turn++) {
    await Promise.race([sleep(servesMs), finished])
    const gateway = gateways[turn % gateways.length]
    if (!isRunning || !gateway) break
    alive.delete(gateway)
    await gateway.kill()
    kills++
    await gateway.start()
    alive.add(gateway)
  }
  const { status, output } = await finished
  balancer.close()
  await Promise.all([...gateways, worker].map((part) => part.stop()))
  if (status !== 0) throw new Error(`${sdk.name}: the streams ended with ${status}:\n${output.slice(-4_000)}`)
  return { kills, ...JSON.parse(lastLine(output)) }
}

/** Passes each connection to one of the gateways that are alive, as it comes. */
const startBalancer = async (alive: ReadonlySet<ServerPart>): Promise<Server> => {
  let turn = 0
  const balancer = createServer((client) => {
    const gateway = [...alive][turn++ % Math.max(alive.size, 1)]
    if (!gateway?.url) return client.destroy()
    const { hostname, port } = new URL(gateway.url)
    const upstream = connect(Number(port), hostname)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on('error', () => other.destroy()).on('close', () => other.destroy())
      socket.pipe(other)
    }
  })
  balancer.listen(0, '127.0.0.1')
  await once(balancer, 'listening')
  return balancer
}
