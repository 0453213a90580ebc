import { readFileSync } from 'node:fs'
import type { ServerPart } from '@ars/tools/dev/server'
import { type ApiCaller, apiCaller } from '../lab/client/api-caller.ts'
import { startTemporaryStack, stopStacksOnSignals, type TemporaryStack } from '../lab/stack/temporary-stack.ts'
import { checks } from './checks.ts'

/** `pnpm smoke`: does the whole service, started as a self-hoster would, do the first things that one asks of it? */
const main = async (): Promise<number> => {
  stopStacksOnSignals()
  const begun = performance.now()
  let failed = 0
  const step = async (name: string, work: () => Promise<string>): Promise<boolean> => {
    const from = performance.now()
    const outcome = await work().then(
      (found) => ({ mark: '✓', found }),
      (error: unknown) => ({ mark: '✗', found: describe(error) }),
    )
    const seconds = ((performance.now() - from) / 1000).toFixed(1).padStart(5)
    console.log(`${outcome.mark} ${name.padEnd(28)} ${seconds} s   ${outcome.found}`)
    if (outcome.mark === '✗') failed++
    return outcome.mark === '✓'
  }

  let started: { temporary: TemporaryStack; server: ServerPart } | undefined
  await step('starts', async () => {
    const temporary = await startTemporaryStack('smoke')
    const server = temporary.stack.server({ role: 'all' })
    started = { temporary, server }
    await server.start()
    return `Postgres, Redis, Restate, one server on ${server.url}`
  })
  if (started) {
    const { temporary, server } = started
    if (failed === 0) {
      const api = callerOf(temporary)
      for (const { name, check } of checks) await step(name, () => check({ api, server, ...temporary }))
      api.close()
    }
    await temporary.dispose({ keepFiles: failed > 0 })
    if (failed > 0) console.log(`The logs are in ${temporary.stack.dir}.`)
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  console.log(
    failed === 0 ? `Smoke: all checks passed, ${seconds} s.` : `Smoke: ${failed} checks failed, ${seconds} s.`,
  )
  return failed === 0 ? 0 : 1
}

const callerOf = ({ stack }: TemporaryStack): ApiCaller =>
  apiCaller({ port: stack.ports.gateway[0], ca: readFileSync(stack.tls.certFile) })

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error))

process.exitCode = await main()
