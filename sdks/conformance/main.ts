import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startConformanceServer, type Verdict } from './src/index.ts'

// node sdks/conformance/main.ts <command...>   runs a runner against all cases; fails if one failed or is missing
// node sdks/conformance/main.ts                serves until it is stopped, for a debugger
// ARS_CONFORMANCE_ONLY=streams                 only the cases with this in their name

const [command, ...args] = process.argv.slice(2)
const server = await startConformanceServer(process.env.ARS_CONFORMANCE_ONLY)

const report = (runner: string, verdicts: readonly Verdict[]): boolean => {
  const judged = new Set(verdicts.map(({ name }) => name))
  const missing = server.cases.filter(({ name }) => !judged.has(name))
  const failed = verdicts.filter(({ faults }) => faults.length > 0)
  const skipped = verdicts.filter(({ skipped: reason }) => reason !== undefined).length
  for (const { name, faults } of failed) console.error(`${runner}: ${name}\n  ${faults.join('\n  ')}`)
  for (const { name } of missing) console.error(`${runner}: ${name}\n  was not run`)
  const passed = judged.size - failed.length - skipped
  console.log(`${runner}: ${passed} of ${server.cases.length} cases passed, ${skipped} skipped`)
  return failed.length + missing.length === 0
}

if (command === undefined) {
  console.log(server.url)
} else {
  const child = spawn(command, args, {
    stdio: 'inherit',
    env: { ...process.env, ARS_CONFORMANCE_URL: server.url },
  })
  const [status] = (await once(child, 'close')) as [number | null]
  const runners = [...Map.groupBy(server.verdicts, ({ runner }) => runner)]
  const good = runners.map(([runner, verdicts]) => report(runner, verdicts))
  if (runners.length === 0) console.error('The runner reported nothing.')
  await server.close()
  process.exitCode = status === 0 && good.length > 0 && good.every(Boolean) ? 0 : 1
}
