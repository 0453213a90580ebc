import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { PartError } from '@ars/tools/dev/parts/part'
import type { Stack } from '@ars/tools/dev/stack'
import { forkProgram } from '../../lab/child.ts'
import { apiCaller } from '../../lab/client/api-caller.ts'
import { pinFamily, type Watched } from '../../lab/measure/cpu.ts'
import { logLevel, openFreshStack } from '../../lab/stack/fresh-stack.ts'
import { plantRatedKeys } from '../../lab/stack/rated-keys.ts'
import type { WrkTarget } from './load.ts'

/** A gateway with two keys, one of which has nothing left, and the control. */
export type AuthSubject = {
  readonly targets: Record<'bare' | 'allowed' | 'refused', WrkTarget>
  readonly watched: Watched
  /** The bytes of one answer's body. */
  readonly bodyBytes: number
  /** What the limiter says is left of the first key's burst. */
  remaining(): Promise<number>
  stopServers(): Promise<void>
  /** Stops everything and deletes the data. */
  stop(): Promise<void>
}

/** More than a measurement asks for; one request per minute is refilled, so that the remaining number shows how many were counted. */
const ample = { requestsPerMinute: 1, burst: 10_000_000 }
const spent = { requestsPerMinute: 1, burst: 1 }
/** Who asks. */
const readPath = '/v2/api/auth/me'
const serverCore = '0'

export const startAuthSubject = async (
  { dir, isPinned }: { dir: string; isPinned: boolean },
  base: number,
  env: NodeJS.ProcessEnv = {},
): Promise<AuthSubject> => {
  const { stack, dispose } = await openFreshStack({ dir, base })
  const gateway = stack.server({ role: 'gateway', env: { ARS_LOG_LEVEL: logLevel, ...env } })
  let bare: ChildProcess | undefined
  const stop = async (): Promise<void> => {
    bare?.disconnect()
    await dispose()
  }
  try {
    await stack.start()
    await stack.command(['migrate'])
    const [allowed] = await plantRatedKeys(stack, 'ample', { plan: 'enterprise', limits: ample })
    const [refused] = await plantRatedKeys(stack, 'spent', { plan: 'enterprise', limits: spent })
    if (!allowed || !refused) throw new PartError('no keys were made')
    await gateway.start()
    const caller = apiCaller({ port: stack.ports.gateway[0], ca: readFileSync(stack.tls.certFile) })
    const ask = async (apiKey: string, status: number) => {
      const answer = await caller.call({
        method: 'GET',
        path: readPath,
        headers: { authorization: `Bearer ${apiKey}` },
      })
      if (answer.status !== status) throw new PartError(`expected ${status}, got ${answer.status}: ${answer.text}`)
      return answer
    }
    await ask(refused.apiKey, 200)
    await ask(refused.apiKey, 429)
    const { headers, text } = await ask(allowed.apiKey, 200)
    bare = await startBare(stack, { headers: headers as Record<string, string>, body: text })
    const heads = { gateway: gateway.pid, bare: () => bare?.pid, redis: stack.redis.pid, postgres: stack.postgres.pid }
    if (isPinned) for (const pidOf of Object.values(heads)) pinFamily(pidOf(), serverCore)
    const target = (origin: string, { apiKey }: { apiKey: string }, isAllowed: boolean): WrkTarget => ({
      url: `${origin}${readPath}`,
      authorization: `Bearer ${apiKey}`,
      isAllowed,
    })
    const origin = `https://127.0.0.1:${stack.ports.gateway[0]}`
    return {
      targets: {
        bare: target(`https://127.0.0.1:${barePort(stack)}`, allowed, true),
        allowed: target(origin, allowed, true),
        refused: target(origin, refused, false),
      },
      watched: { ...heads, restate: stack.restate.pid },
      bodyBytes: Buffer.byteLength(text),
      remaining: async () => Number((await ask(allowed.apiKey, 200)).headers['x-ratelimit-remaining']),
      stopServers: async () => {
        caller.close()
        await gateway.stop()
      },
      stop: async () => {
        caller.close()
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const startBare = async (
  stack: Stack,
  { headers, body }: { headers: Record<string, string>; body: string },
): Promise<ChildProcess> => {
  // Node adds these.
  const { date, connection, 'keep-alive': keepAlive, ...rest } = headers
  const child = forkProgram(new URL('./bare.ts', import.meta.url), {
    BARE_PORT: String(barePort(stack)),
    BARE_CERT_FILE: stack.tls.certFile,
    BARE_KEY_FILE: stack.tls.keyFile,
    BARE_ANSWER: JSON.stringify({ headers: rest, body }),
  })
  await once(child, 'message')
  return child
}

/** The first ports of a block are spare. */
const barePort = ({ ports }: Stack): number => ports.base
