import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { outcomeOf, run } from './sdk.ts'

export type Interpreter = { readonly program: string; readonly version: string }

const wanted = ['3.10', '3.11', '3.12', '3.13']

/** Every Python of this computer that the SDK supports and that can make a virtual environment, oldest first. */
export const findInterpreters = async (cwd: string): Promise<readonly Interpreter[]> => {
  const found = new Map<string, string>()
  const question = 'import ensurepip, venv, sys; print("%d.%d" % sys.version_info[:2])'
  for (const program of candidates()) {
    const { status, output } = await outcomeOf({ program, args: ['-c', question], cwd, env: process.env }).catch(
      () => ({
        status: 1,
        output: '',
      }),
    )
    const version = output.trim()
    if (status === 0 && wanted.includes(version) && !found.has(version)) found.set(version, program)
  }
  if (found.size === 0)
    throw new Error('No Python 3.10 or newer can make virtual environments (apt-get install python3-venv)')
  const all = wanted.flatMap((version) => {
    const program = found.get(version)
    return program ? [{ version, program }] : []
  })
  // The limits of the supported range are enough for each change; `pnpm sdks python` tries all.
  return process.env.CI && all.length > 2 ? all.filter((_, n) => n === 0 || n === all.length - 1) : all
}

const candidates = (): string[] => {
  const versions = join(homedir(), '.pyenv/versions')
  const installed = existsSync(versions) ? readdirSync(versions).map((name) => join(versions, name, 'bin/python')) : []
  return ['python3', '/usr/bin/python3', ...wanted.map((version) => `python${version}`), ...installed.toSorted()]
}

/** The python of an environment with the tools that judge the SDK. It is kept until their list changes. */
export const keepTools = async (dir: string, program: string, requirements: string): Promise<string> => {
  const python = join(dir, 'bin/python')
  const mark = join(dir, 'installed.txt')
  const list = `${readFileSync(requirements, 'utf8')}\n${program}`
  if (existsSync(mark) && readFileSync(mark, 'utf8') === list && existsSync(python)) return python
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dirname(dir), { recursive: true })
  const making = `${dir}.making`
  rmSync(making, { recursive: true, force: true })
  await makeEnvironment(making, program, { packages: ['-r', requirements] })
  writeFileSync(join(making, 'installed.txt'), list)
  renameSync(making, dir)
  return python
}

/** A new virtual environment with these packages, installed by the pip of another one, because a pip takes seconds. */
export const makeEnvironment = async (
  dir: string,
  program: string,
  { packages, pip }: { packages: readonly string[]; pip?: string },
): Promise<string> => {
  const python = join(dir, 'bin/python')
  const [cwd, env] = [dirname(dir), process.env]
  await run({ program, args: ['-m', 'venv', ...(pip ? ['--without-pip'] : []), dir], cwd, env })
  const options = ['--quiet', '--no-input', '--disable-pip-version-check', '--no-compile', '--only-binary', ':all:']
  const args = ['-m', 'pip', ...(pip ? ['--python', python] : []), 'install', ...options, ...packages]
  await run({ program: pip ?? python, args, cwd, env })
  return python
}
