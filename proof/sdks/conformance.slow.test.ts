import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepGo } from '@ars/tools/dev/go'
import { repositoryDir } from '@ars/tools/dev/server'
import { afterAll, expect, test } from 'vitest'
import { findInterpreters, makeEnvironment } from './python-home.ts'
import { outcomeOf, run } from './sdk.ts'

// The sources of this tree. `pnpm sdks` does the same with the packed artefacts, on every supported version. CI runs it too, so
// there only one language is played twice.

const sdks = join(repositoryDir, 'sdks')
const state = join(repositoryDir, process.env.CI ? '.ci-state' : '.dev')
const scratch = mkdtempSync(join(tmpdir(), 'ars-conformance-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

type Runner = { command: readonly string[]; env: NodeJS.ProcessEnv }

/** A Python with the packages that the SDK needs. It is kept until their list changes. */
const pythonRunner = async (): Promise<Runner> => {
  const manifest = readFileSync(join(sdks, 'python/pyproject.toml'), 'utf8')
  const packages = JSON.parse(/^dependencies = (\[.*\])$/m.exec(manifest)?.[1] ?? '[]') as string[]
  const [home, list] = [join(state, 'conformance-python'), packages.join('\n')]
  const [mark, python] = [join(home, 'installed.txt'), join(home, 'bin/python')]
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== list) {
    rmSync(home, { recursive: true, force: true })
    const newest = (await findInterpreters(sdks)).at(-1)
    await makeEnvironment(home, newest?.program ?? '', { packages })
    writeFileSync(mark, list)
  }
  const env = { ...process.env, PYTHONPATH: join(sdks, 'python/src') }
  return { command: [python, join(sdks, 'python/conformance/runner.py')], env }
}

const goRunner = async (): Promise<Runner> => {
  const env = await keepGo(join(state, 'go-toolchain'), () => undefined)
  const file = join(scratch, 'runner')
  await run({ program: 'go', args: ['build', '-o', file, './internal/conformance'], cwd: join(sdks, 'go'), env })
  return { command: [file], env }
}

const typescriptRunner = async (): Promise<Runner> => ({
  command: [process.execPath, join(sdks, 'conformance/runners/typescript.ts')],
  env: process.env,
})

const languages = [
  { language: 'TypeScript', runnerOf: typescriptRunner, least: 1 },
  { language: 'Go', runnerOf: goRunner, least: 1 },
  // The blocking client and the asynchronous one.
  { language: 'Python', runnerOf: pythonRunner, least: 2 },
]

const played = process.env.CI ? languages.slice(0, 1) : languages

test.each(played)('[S8] the client library for $language passes the conformance list', async ({ runnerOf, least }) => {
  const { command, env } = await runnerOf()
  const args = [join(sdks, 'conformance/main.ts'), ...command]
  const { status, output } = await outcomeOf({ program: process.execPath, args, cwd: repositoryDir, env })
  expect([status, output.slice(-4_000)]).toEqual([0, expect.stringContaining('cases passed')])
  const counts = [...output.matchAll(/(\d+) of (\d+) cases passed, (\d+) skipped/g)].map(([, ...found]) =>
    found.map(Number),
  )
  expect(counts.length).toBeGreaterThanOrEqual(least)
  const inList = await listed()
  for (const [passed = 0, all = 0, skipped = 0] of counts) {
    expect(passed + skipped).toBe(all)
    expect(all).toBe(inList)
    expect(skipped).toBeLessThan(10)
  }
})

/** The number of cases in the one list. */
const listed = async (): Promise<number> => {
  const program = `import { startConformanceServer } from ${JSON.stringify(join(sdks, 'conformance/src/index.ts'))}
const server = await startConformanceServer()
console.log(server.cases.length)
await server.close()`
  return Number(
    await run({ program: process.execPath, args: ['--input-type=module', '-e', program], cwd: sdks, env: process.env }),
  )
}
