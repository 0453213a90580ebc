import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Runs a program to its end and returns its output. A failure is an error with the output. */
export type Run = (
  program: string,
  args: readonly string[],
  options?: { cwd?: string; env?: NodeJS.ProcessEnv },
) => Promise<string>

export const run: Run = async (program, args, options = {}) => {
  try {
    const { stdout } = await promisify(execFile)(program, args, { ...options, maxBuffer: 64 * 1_048_576 })
    return stdout.trim()
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${program} ${args.join(' ')} failed:\n${(stdout + stderr).slice(-4_000)}`, { cause: error })
  }
}

const requirements = join(import.meta.dirname, 'requirements.txt')

/** The folder with the programs of a Python environment that holds the generators. Made anew when their list changes. */
export const keepPython = async (dir: string): Promise<string> => {
  const bin = join(dir, 'bin')
  const mark = join(dir, 'installed.txt')
  const wanted = readFileSync(requirements, 'utf8')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return bin
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  await run(await findPython(), ['-m', 'venv', dir])
  const options = ['--no-deps', '--only-binary', ':all:', '--no-input', '--progress-bar', 'off']
  await run(join(bin, 'python'), ['-m', 'pip', 'install', ...options, '-r', requirements])
  writeFileSync(mark, wanted)
  return bin
}

/** Python without `ensurepip` cannot create an environment; Debian ships it in a separate package. */
const findPython = async (): Promise<string> => {
  for (const each of ['python3', '/usr/bin/python3']) {
    const answer = await run(each, ['-c', 'import ensurepip, venv; print("yes")']).catch(() => '')
    if (answer === 'yes') return each
  }
  throw new Error('The generators need a Python that can make virtual environments (apt-get install python3-venv).')
}
