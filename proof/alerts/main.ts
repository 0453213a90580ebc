import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryDir } from '@ars/tools/dev/server'
import { apiCaller } from '../lab/client/api-caller.ts'
import { waitFor } from '../lab/condition.ts'
import { keepOutcome } from '../lab/report/keep.ts'
import { type Claim, measured } from '../lab/report/outcome.ts'
import { startTemporaryStack, stopStacksOnSignals } from '../lab/stack/temporary-stack.ts'
import { findBinaries, type Prometheus, rulesFolder, startPrometheus } from './prometheus.ts'
import { type Scenario, settingsOf, type World } from './scenario.ts'
import { scenarios } from './scenarios.ts'

// pnpm alerts [pattern of scenarios' names]
// pnpm alerts --rules: only the rules and their cases
//
// Checks the rules, their cases and the served metrics with promtool. Then a real Prometheus watches a real stack: each
// scenario causes its alerts, the commands of their runbooks are executed while they fire, and the cure must end them.

const defaultFireMs = 120_000
const endMs = 180_000

const main = async (): Promise<number> => {
  stopStacksOnSignals()
  const binaries = findBinaries()
  const promtool = (args: readonly string[], input?: string): void => {
    execFileSync(binaries.promtool, args, { cwd: rulesFolder, input, stdio: ['pipe', 'ignore', 'inherit'] })
    console.log(`✓ promtool ${args.join(' ')}`)
  }
  promtool(['check', 'rules', 'rules.yml'])
  promtool(['test', 'rules', 'rules.test.yml'])
  if (process.argv.includes('--rules')) return 0
  const temporary = await startTemporaryStack('alerts')
  const { stack, seed } = temporary
  const env = settingsOf(stack)
  const gateway = stack.server({ role: 'gateway', env })
  const worker = stack.server({ role: 'worker', env })
  const checkout = join(stack.dir, 'other-release')
  const other = { checkout, gateway: stack.server({ role: 'gateway', index: 2, env, checkout }) }
  const api = apiCaller({ port: stack.ports.gateway[0], ca: readFileSync(stack.tls.certFile) })
  const call: World['call'] = (method, path, body) =>
    api.call({
      method,
      path,
      headers: { authorization: `Bearer ${seed.api_key}`, prefer: 'respond-async' },
      ...(body !== undefined && { body }),
    })
  const createRun: World['createRun'] = (agent, input) =>
    call('POST', '/v2/runs', { agent_id: temporary.agentId(agent), input }).then(
      ({ status }) => status,
      () => null,
    )
  let failed = 0
  const claims: Claim[] = []
  let prometheus: Prometheus | undefined
  try {
    await Promise.all([gateway.start(), worker.start()])
    await createRun('test-echo', { query: 'hello' })
    for (const { metricsUrl } of [gateway, worker])
      promtool(['check', 'metrics'], await (await fetch(`${metricsUrl}/metrics`)).text())
    const targets = [gateway, worker, other.gateway].map(({ metricsUrl }) => new URL(metricsUrl).host)
    prometheus = await startPrometheus(binaries, { port: stack.ports.base + 2, targets })
    const pattern = process.argv.slice(2).join(' ')
    const wanted = new RegExp(pattern)
    for (const scenario of scenarios.filter(({ name }) => wanted.test(name))) {
      const played = await play(scenario, {
        world: { stack, gateway, worker, other, createRun, call },
        prometheus,
      }).catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
      console.log(`${played === null ? '✓' : '✗'} ${scenario.name}: ${played ?? scenario.alerts.join(', ')}`)
      claims.push(
        measured(`${scenario.name}: ${scenario.alerts.join(', ')}`, played === null, played ?? 'fired and ended'),
      )
      if (played !== null) failed++
    }
    if (pattern === '') keepOutcome({ proof: 'alerts', size: 'short', outcome: { claims, metrics: [] } })
  } finally {
    api.close()
    await prometheus?.stop()
    await temporary.dispose({ keepFiles: failed > 0 })
  }
  console.log(`${failed} scenarios failed.`)
  return failed === 0 ? 0 : 1
}

/** Null: every alert fired and ended. */
const play = async (
  { alerts, cause, meanwhile, cure, logs = [], fireMs = defaultFireMs }: Scenario,
  { world, prometheus }: { world: World; prometheus: Prometheus },
): Promise<null> => {
  // The scenario before may have disturbed the scrapes.
  await waitFor(
    `quiet before the cause of ${alerts.join(', ')}`,
    async () => (await firingOf(prometheus, alerts)).length === 0,
    {
      timeoutMs: endMs,
      everyMs: 500,
    },
  )
  await cause(world)
  const seen = new Set<string>()
  try {
    await waitFor(
      alerts.join(', '),
      async () => {
        await meanwhile?.(world)
        for (const name of await firingOf(prometheus, alerts)) seen.add(name)
        return seen.size === alerts.length
      },
      { timeoutMs: fireMs, everyMs: 200 },
    )
    for (const alert of alerts) await executeRunbook({ world, prometheus }, alert)
    for (const words of logs) searchLogs(world, alerts, words)
  } catch (error) {
    const missing = alerts.filter((alert) => !seen.has(alert)).join(', ') || 'the runbook'
    throw new Error(`${missing}: ${String(error)}`, { cause: error })
  } finally {
    await cure(world)
  }
  let firing: string[] = []
  const isOver = async (): Promise<boolean> => {
    firing = await firingOf(prometheus, alerts)
    return firing.length === 0
  }
  await waitFor('the end of the alerts', isOver, { timeoutMs: endMs, everyMs: 500 }).catch((error: unknown) => {
    throw new Error(`${firing.join(', ')} did not end: ${String(error)}`, { cause: error })
  })
  return null
}

const firingOf = async (prometheus: Prometheus, alerts: readonly string[]): Promise<string[]> => {
  const found = await Promise.all(alerts.map(async (name) => ((await prometheus.firing(name)) ? [name] : [])))
  return found.flat()
}

/** The commands that look and do not start a process, and every query. `doctor` ends with 1 when it has found something. */
const executeRunbook = async (
  { world: { stack }, prometheus }: { world: World; prometheus: Prometheus },
  alert: string,
): Promise<void> => {
  const page = pageOf(alert)
  const commands = new Set(
    [...page.matchAll(/`ars-server (doctor|admin partitions)`/g)].map(([, command = '']) => command),
  )
  for (const command of commands) {
    const printed = await stack.command(command.split(' ')).catch((error: unknown) => String(error))
    if (command === 'doctor' && !/checks (passed|failed)|of \d+ checks failed/.test(printed))
      throw new Error(`doctor printed no verdict: ${printed.slice(0, 300)}`)
  }
  const queries = [...page.matchAll(/`([^`]*\b(?:ars|process)_\w+[^`]*)`/g)].map(([, query = '']) => query)
  for (const query of queries) await prometheus.query(query)
}

const pageOf = (alert: string): string => readFileSync(join(repositoryDir, 'docs/runbooks', `${alert}.md`), 'utf8')

const searchLogs = ({ gateway, worker }: World, alerts: readonly string[], words: string): void => {
  if (!alerts.some((alert) => pageOf(alert).includes(words))) throw new Error(`no runbook says to search for ${words}`)
  const lines = [gateway, worker].map(({ logFile }) => readFileSync(logFile, 'utf8')).join('')
  if (!lines.includes(words)) throw new Error(`the logs have no line with ${words}`)
}

process.exitCode = await main()
