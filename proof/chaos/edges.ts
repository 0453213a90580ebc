import type { Stack } from '@ars/tools/dev/stack'
import type { Toxics } from './toxic-flow.ts'
import { type ToxicProxy, toxicProxy } from './toxic-proxy.ts'

/** Who calls over an edge, and whom. */
export type Caller = 'client' | 'gateway-2' | 'worker-2' | 'engine'
export type Called = 'gateway-1' | 'gateway-2' | 'postgres' | 'redis' | 'ingress' | 'admin' | 'worker'

/**
 * The edges between the parts, each through a toxic proxy. The second gateway and the second worker reach everything
 * over such edges, the first ones directly: so half of the work goes on whatever is done to an edge. A caller has an
 * separate address on loopback, where each part that it calls has its usual port.
 */
export type Edges = {
  /** Laid over the settings of the second gateway or worker: everything behind its edges. */
  env(caller: 'gateway-2' | 'worker-2'): NodeJS.ProcessEnv
  /** How the engine reaches the workers: one address for all of them. */
  workerUrl: string
  edge(caller: Caller, called: Called): ToxicProxy
  /** All edges of one caller at once; empty heals. */
  set(caller: Caller, toxics: Toxics, called?: Called): void
  close(): Promise<void>
}

const addresses: Readonly<Record<Caller, string>> = {
  client: '127.0.0.32',
  'gateway-2': '127.0.0.12',
  'worker-2': '127.0.0.22',
  engine: '127.0.0.42',
}

export const openEdges = async (stack: Stack): Promise<Edges> => {
  const { ports } = stack
  const portOf: Readonly<Record<Called, number>> = {
    'gateway-1': ports.gateway[0],
    'gateway-2': ports.gateway[1],
    postgres: ports.postgres,
    redis: ports.redis,
    ingress: ports.restateIngress,
    admin: ports.restateAdmin,
    worker: ports.worker,
  }
  const inside = ['postgres', 'redis', 'ingress', 'admin'] as const
  const pairs: readonly (readonly [Caller, Called])[] = [
    ['client', 'gateway-1'],
    ['client', 'gateway-2'],
    ['engine', 'worker'],
    ...inside.map((called) => ['gateway-2', called] as const),
    ...inside.map((called) => ['worker-2', called] as const),
  ]
  const proxies = new Map<string, ToxicProxy>()
  for (const [caller, called] of pairs) {
    const port = portOf[called]
    const listen = { host: addresses[caller], port }
    proxies.set(`${caller} ${called}`, await toxicProxy({ listen, target: { host: '127.0.0.1', port } }))
  }
  const edge: Edges['edge'] = (caller, called) => {
    const proxy = proxies.get(`${caller} ${called}`)
    if (!proxy) throw new Error(`there is no edge from ${caller} to ${called}`)
    return proxy
  }
  return {
    workerUrl: `http://${addresses.engine}:${ports.worker}`,
    env: (caller) => {
      const behind = (url: string): string => {
        const moved = new URL(url)
        moved.hostname = addresses[caller]
        return moved.href.replace(/\/$/, '')
      }
      return {
        ARS_DATABASE_URL: behind(stack.postgres.url('ars_app')),
        ARS_DATABASE_AUTH_URL: behind(stack.postgres.url('ars_auth')),
        ARS_DATABASE_FEED_URL: behind(stack.postgres.url('ars_feed')),
        ARS_DATABASE_SYSTEM_URL: behind(stack.postgres.url('ars_system')),
        ARS_REDIS_URL: behind(stack.redis.url()),
        ARS_ENGINE_INGRESS_URL: behind(stack.restate.ingressUrl),
        ARS_ENGINE_ADMIN_URL: behind(stack.restate.adminUrl),
      }
    },
    edge,
    set: (caller, toxics, called) => {
      for (const [name, proxy] of proxies) {
        const [from, to] = name.split(' ')
        if (from === caller && (called === undefined || to === called)) proxy.set(toxics)
      }
    },
    close: async () => {
      await Promise.all([...proxies.values()].map((proxy) => proxy.close()))
    },
  }
}
