import type { ChildProcess } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { reserveFreeBlock } from '@ars/tools/dev/parts/ports'
import { removePostgresHome } from '@ars/tools/dev/parts/postgres-home'
import { repositoryDir } from '@ars/tools/dev/server'
import { buildNpmPackages } from '@ars/tools/release/npm'
import { keepOutcome } from '../lab/report/keep.ts'
import { bar, claim, type Outcome } from '../lab/report/outcome.ts'
import { goals, type Played, playPage } from './pages.ts'
import { startRegistry } from './registry.ts'
import { endTerminal, runShell, startInTerminal } from './shell.ts'

const help = `pnpm first-commands: the README, as a visitor with Node and an empty folder follows it.

Packs the npm packages, serves them from a registry on this computer, and executes the commands of the README exactly as they are
printed: npx, the shell blocks and the program in TypeScript. It executes the pages of the first hour in the same folder: tutorials
and guides, the web page in Chromium. Then it ends the service with Ctrl-C and with kill -9, starts it again, and looks for its
data. Its record has the seconds of each command and page.

  --page <file>   only this page, after the commands of the README; may be repeated
`

const out = join(repositoryDir, 'dist/first-commands')

type Timed = { command: string; seconds: number }

const main = async (): Promise<void> => {
  const readme = readFileSync(join(repositoryDir, 'README.md'), 'utf8')
  rmSync(out, { recursive: true, force: true })
  const artefacts = await buildNpmPackages(repositoryDir, out)
  const registry = await startRegistry(out, artefacts)
  const ports = await reserveFreeBlock()
  const home = mkdtempSync(join(tmpdir(), 'ars-first-commands-'))
  // Postgres runs as another user when this runs as root.
  chmodSync(home, 0o711)
  const folder = join(home, 'empty')
  mkdirSync(folder)
  const data = join(home, '.agent-run-service')
  // PORT is for a program of a page.
  const env = {
    ...visitor(home),
    npm_config_registry: registry.url,
    ARS_PORT_BASE: String(ports.base),
    PORT: String(ports.base + 18),
  }
  const timed: Timed[] = []
  const time = async <T>(command: string, work: () => Promise<T>): Promise<T> => {
    const begun = performance.now()
    const result = await work()
    timed.push({ command, seconds: (performance.now() - begun) / 1000 })
    console.log(`${(timed.at(-1)?.seconds ?? 0).toFixed(1).padStart(6)} s  ${command}`)
    return result
  }
  const [start = '', load = ''] = blocksOf(readme, 'sh proof="first-commands"')
  const terminal = { words: 'Dashboard', log: join(home, 'terminal.log'), cwd: folder, env }
  let service: ChildProcess | undefined
  try {
    service = await time(`${start.trim()} (first time: download and start)`, () => startInTerminal(start, terminal))
    // The first block is that of a clone.
    const [, ...tries] = blocksOf(readme, 'sh')
    const source = load.trim()
    const streamed = await timeBlocks([source, ...tries], { cwd: folder, env }, timed)
    await time('npm install @agent-run-service/sdk', () =>
      runShell('npm install @agent-run-service/sdk', { cwd: folder, env }),
    )
    const [program = ''] = blocksOf(readme, 'ts')
    writeFileSync(join(folder, 'try.mjs'), program)
    const printed = await time('node try.mjs (the program of the README)', () =>
      runShell(`${source}\nnode try.mjs`, { cwd: folder, env }),
    )
    const doctor = await time('npx agent-run-service doctor', () =>
      runShell('npx agent-run-service doctor', { cwd: folder, env }),
    )
    const played: Played[] = []
    const chosen = values.page ? goals.filter(({ file }) => values.page?.includes(file)) : goals
    for (const each of chosen) {
      const page = await playPage(each, { cwd: folder, env, settings: source })
      played.push(page)
      console.log(`${page.seconds.toFixed(1).padStart(6)} s  ${page.file}: ${page.fault ?? `${page.blocks} blocks`}`)
    }
    const count = (): Promise<string> =>
      runShell(
        `${source}\ncurl -sf "$ARS_BASE_URL/runs?limit=100" -H "Authorization: Bearer $ARS_API_KEY" | grep -o '"id":"run_' | wc -l`,
        { cwd: folder, env },
      )
    const runs = await count()
    await time('Ctrl-C', () => endTerminal(service, 'SIGINT'))
    service = await time(`${start.trim()} (second time)`, () => startInTerminal(start, terminal))
    const runsAfterStop = await count()
    await time('kill -9 of the whole terminal', () => endTerminal(service, 'SIGKILL'))
    service = await time(`${start.trim()} (after kill -9)`, () => startInTerminal(start, terminal))
    const runsAfterKill = await count()
    const outcome: Outcome = {
      metrics: [],
      claims: [
        ...timed.map(({ command, seconds }) => bar(`Seconds of ${command}`, seconds, { most: 120 }, 1)),
        ...played.map(({ goal, file, seconds }) => bar(`Seconds of ${file} (${goal})`, seconds, { most: 120 }, 1)),
        ...played.map(({ goal, file, fault, blocks, left }) =>
          claim(
            `${goal}: ${file} works in an empty folder, ${blocks} blocks${left > 0 ? `; ${left} need a clone` : ''}`,
            fault === undefined,
            fault ?? '',
          ),
        ),
        claim(
          'The stream of the README ends with the completed run',
          streamed.includes('event: run.completed'),
          streamed,
        ),
        claim('The program of the README prints that its run completed', printed.includes('completed'), printed),
        claim(
          'doctor passes, and says what is weaker without Redis',
          doctor.includes('All checks passed') && doctor.includes('ARS_REDIS_URL is not set'),
          doctor,
        ),
        claim('Ctrl-C loses no run', runs === runsAfterStop && Number(runs) > 1, `${runs} and ${runsAfterStop}`),
        claim('kill -9 loses no run', runs === runsAfterKill, `${runs} and ${runsAfterKill}`),
      ],
    }
    if (!values.page) keepOutcome({ proof: 'first-commands', size: 'short', outcome })
    for (const { says, violations, value } of outcome.claims)
      console.log(
        violations.length === 0 ? `ok      ${says}${value ? `: ${value}` : ''}` : `BROKEN  ${says}: ${violations}`,
      )
    process.exitCode = outcome.claims.some(({ violations }) => violations.length > 0) ? 1 : 0
  } finally {
    if (service) await endTerminal(service, 'SIGINT')
    registry.close()
    await ports.release()
    removePostgresHome(join(data, 'postgres'))
    rmSync(home, { recursive: true, force: true })
  }
}

/** Runs blocks in one shell, whose variables carry over, notes the seconds of each, and answers what the last one printed. */
const timeBlocks = async (
  blocks: readonly string[],
  place: { cwd: string; env: NodeJS.ProcessEnv },
  timed: Timed[],
): Promise<string> => {
  const begun = Date.now()
  const mark = `printf '\\n@@%s@@\\n' "$(date +%s%3N)"`
  const printed = await runShell(blocks.map((code) => `${code}\n${mark}`).join('\n'), place)
  const parts = printed.split(/\n@@(\d+)@@\n/)
  const ends = [begun, ...parts.filter((_, at) => at % 2 === 1).map(Number)]
  for (const [at, code] of blocks.entries())
    timed.push({ command: titleOf(code), seconds: ((ends[at + 1] ?? 0) - (ends[at] ?? 0)) / 1000 })
  return parts.at(-3) ?? ''
}

/** A new user's terminal: no setting of ours, and its own home. */
const visitor = (home: string): NodeJS.ProcessEnv => {
  const foreign = /^(ARS_|npm_(?!config_cafile)|pnpm_|PNPM_|NODE_(?!EXTRA_CA_CERTS)|INIT_CWD$|XDG_)/
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name))),
    HOME: home,
    npm_config_cache: join(home, '.npm'),
  }
}

const blocksOf = (text: string, info: string): string[] =>
  [...text.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].flatMap(([, found, code = '']) =>
    found === info ? [code] : [],
  )

const titleOf = (code: string): string => {
  const [, path = 'env'] = /\$ARS_BASE_URL(\/[\w/$]+)/.exec(code) ?? []
  return path === 'env' ? code.trim() : `curl ${path}`
}

const { values } = parseArgs({
  options: { page: { type: 'string', multiple: true }, help: { type: 'boolean', short: 'h' } },
})
if (values.help) console.log(help)
else await main()
