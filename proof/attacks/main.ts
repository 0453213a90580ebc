import { join } from 'node:path'
import { PartError } from '@ars/tools/dev/parts/part'
import type { ServerPart } from '@ars/tools/dev/server'
import { loopWatch } from '../lab/heavy/heavy-work.ts'
import { keepOutcome } from '../lab/report/keep.ts'
import { loadAverage, printReport, tell } from '../lab/report/progress.ts'
import { startTemporaryStack, stopStacksOnSignals, type TemporaryStack } from '../lab/stack/temporary-stack.ts'
import type { Strength } from './attack.ts'
import { claimsOf } from './claims.ts'
import { tryFraming } from './framing.ts'
import { ofTheGateway, type PartName, readShellOptions, type ShellOptions, shellHelp } from './options.ts'
import { attackWaysOut } from './outgoing/play.ts'
import { outgoingReport } from './outgoing/report.ts'
import { attackPolicies } from './policies/play.ts'
import { policyMetrics, policyReport } from './policies/report.ts'
import { lookFromOutside } from './ports.ts'
import { type PressureSize, pressGateway } from './pressure.ts'
import { judge } from './pressure-judge.ts'
import { attackRedis } from './redis/play.ts'
import { redisReport } from './redis/report.ts'
import { breachesOf, type Findings, reportOf, verdictOf } from './report.ts'
import { attackSchemas } from './schemas/play.ts'
import { schemaReport } from './schemas/report.ts'

// In the full size clients have the times that they have by default.
const fullStrength: Strength = { scale: 1, headersTimeoutMs: 10_000, requestTimeoutMs: 30_000 }
const ciStrength: Strength = { scale: 0.05, headersTimeoutMs: 1_500, requestTimeoutMs: 2_000 }

const main = async (args: readonly string[]): Promise<number> => {
  const options = readShellOptions(args)
  if (options.isHelp) {
    console.log(shellHelp)
    return 0
  }
  stopStacksOnSignals()
  const findings: Findings = { command: options.command, startedAt: new Date(), loads: [loadAverage(), loadAverage()] }
  for (const part of options.parts) await play[part](options, findings)
  findings.loads = [findings.loads[0], loadAverage()]
  const facts = { command: options.command, at: findings.startedAt, loads: findings.loads }
  if (options.parts.some((part) => ofTheGateway.includes(part))) printReport(reportOf(findings))
  if (findings.outgoing) printReport(outgoingReport(findings.outgoing, facts))
  if (findings.redis) printReport(redisReport(findings.redis, facts))
  if (findings.schemas) printReport(schemaReport(findings.schemas, facts))
  if (findings.policies) printReport(policyReport(findings.policies, facts))
  if (options.attacks.length === 0 && options.loads.length === 0) {
    for (const [name, claims] of claimsOf(findings, options.parts)) {
      const size = options.isFull ? 'full' : 'short'
      const metrics = name === 'policies' && findings.policies ? policyMetrics(findings.policies) : []
      keepOutcome({ proof: `attacks-${name}`, size, outcome: { claims, metrics } })
    }
  }
  const breaches = breachesOf(findings)
  for (const breach of breaches) console.log(`VIOLATED: ${breach}`)
  console.log(verdictOf(findings))
  return breaches.length === 0 ? 0 : 1
}

const play: Record<PartName, (options: ShellOptions, findings: Findings) => Promise<void>> = {
  pressure: async ({ isFull, attacks }, findings) => {
    const strength = isFull ? fullStrength : ciStrength
    const size: PressureSize = {
      strength,
      rounds: isFull ? 3 : 1,
      tries: isFull ? 5 : 2,
      windowMs: isFull ? 5_000 : 1_500,
      only: attacks,
    }
    const env = {
      ARS_HEADERS_TIMEOUT_MS: String(strength.headersTimeoutMs),
      ARS_REQUEST_TIMEOUT_MS: String(strength.requestTimeoutMs),
      // As by default.
      ARS_CONNECTIONS_PER_ADDRESS: undefined,
      ARS_LOG_LEVEL: 'warn',
    }
    await onStack('shell-pressure', env, async (temporary, servers) => {
      const pressure = await pressGateway(temporary, servers, size, tell)
      findings.pressure = { ...pressure, size, judged: pressure.pressed.map((one) => judge(one, strength)) }
    })
  },
  framing: async (_, findings) => {
    await onStack('shell-framing', {}, async ({ stack, seed }, { gateway }) => {
      findings.framing = await tryFraming({
        port: stack.ports.gateway[0],
        certFile: stack.tls.certFile,
        key: seed.api_key,
        logFile: gateway.logFile,
      })
      tell(`${findings.framing.framed.length} requests went through the proxy`)
    })
  },
  ports: async ({ isFull }, findings) => {
    findings.ports = await lookFromOutside({ isFull }, tell)
  },
  schemas: async ({ isFull }, findings) => {
    await onStack('attacks-schemas', { ARS_LOG_LEVEL: 'warn' }, async (temporary, servers) => {
      findings.schemas = await attackSchemas(temporary, servers, { isFull })
    })
  },
  policies: async ({ isFull, loads }, findings) => {
    await onTemporary('attacks-policies', async (temporary) => {
      const { stack } = temporary
      const turns = { gateway: join(stack.dir, 'gateway.turns'), worker: join(stack.dir, 'worker.turns') }
      const partOf = (role: 'gateway' | 'worker') =>
        stack.server({ role, env: { ARS_LOG_LEVEL: 'warn', ...loopWatch(turns[role]) } })
      const [gateway, worker] = [partOf('gateway'), partOf('worker')]
      await Promise.all([gateway.start(), worker.start()])
      findings.policies = await attackPolicies(temporary, { gateway, worker, turns }, { isFull, only: loads }, tell)
    })
  },
  redis: async ({ isFull }, findings) => {
    findings.redis = await attackRedis({ isFull }, tell)
  },
  outgoing: async ({ isFull }, findings) => {
    const found = await attackWaysOut({ isFull }, tell)
    if (found) findings.outgoing = found
    // In the small size this is only reported: the user may lack the right to create a network namespace.
    else if (isFull) throw new PartError('The outgoing attacks need a network namespace, which cannot be created here.')
  },
}

const onTemporary = async (name: string, work: (temporary: TemporaryStack) => Promise<void>): Promise<void> => {
  const temporary = await startTemporaryStack(name)
  try {
    await work(temporary)
  } finally {
    await temporary.dispose({ keepFiles: false })
  }
}

const onStack = (
  name: string,
  env: NodeJS.ProcessEnv,
  work: (temporary: TemporaryStack, servers: { gateway: ServerPart; worker: ServerPart }) => Promise<void>,
): Promise<void> =>
  onTemporary(name, async (temporary) => {
    const gateway = temporary.stack.server({ role: 'gateway', env })
    const worker = temporary.stack.server({ role: 'worker', env: { ARS_LOG_LEVEL: 'warn' } })
    await Promise.all([gateway.start(), worker.start()])
    await work(temporary, { gateway, worker })
  })

try {
  // Sockets of attackers and proxies may still be closing; nothing of them is wanted any more.
  process.exit(await main(process.argv.slice(2)))
} catch (error) {
  console.error(error instanceof PartError ? error.message : error)
  process.exit(1)
}
