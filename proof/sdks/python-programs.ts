import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Programs } from './program-at.ts'
import { copyExample, copyPrograms, runExample, runPrograms } from './programs.ts'
import { type ReachingService, run } from './sdk.ts'

const homeIn = (scratch: string): string => join(scratch, 'programs')

type Pythons = {
  /** The one that has mypy. */
  readonly tools: string
  /** The ones that have nothing but the SDK. */
  readonly newest: string
  readonly oldest: string
}

/** The programs of `examples/programs`: the oldest Python reads them, mypy and pyright check their types. */
export const checkPythonPrograms = async (scratch: string, { tools, newest, oldest }: Pythons): Promise<string> => {
  const home = homeIn(scratch)
  copyExample('extraction', home)
  const names = [...copyPrograms(home, 'main.py'), 'extraction']
  await run({ program: oldest, args: ['-m', 'compileall', '-q', home], cwd: scratch, env: process.env })
  const pyright = fileURLToPath(import.meta.resolve('pyright/index.js'))
  const files = names.map((name) => join(home, name, 'main.py'))
  const checking = [pyright, '--pythonpath', newest, ...files]
  await run({ program: process.execPath, args: checking, cwd: scratch, env: process.env })
  // mypy refuses several modules with one name.
  const modules = join(scratch, 'programs-as-modules')
  mkdirSync(modules)
  for (const name of names) cpSync(join(home, name, 'main.py'), join(modules, `${name.replaceAll('-', '_')}.py`))
  const strict = [
    '-m',
    'mypy',
    '--strict',
    '--python-executable',
    newest,
    '--cache-dir',
    join(scratch, 'mypy'),
    modules,
  ]
  await run({ program: tools, args: strict, cwd: scratch, env: process.env })
  return `${names.length} programs pass mypy --strict and pyright`
}

type Live = { readonly python: string; readonly service: ReachingService; readonly env: NodeJS.ProcessEnv }

export const runPythonPrograms = (scratch: string, live: Live): Promise<string> =>
  runPrograms(programsOf(scratch, live))

export const runExtraction = (scratch: string, live: Live): Promise<string> =>
  runExample(programsOf(scratch, live), 'extraction')

const programsOf = (scratch: string, { python, service, env }: Live): Programs => ({
  language: 'python',
  folder: (name) => join(homeIn(scratch), name),
  command: () => [python, 'main.py'],
  service,
  env,
})
