import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { PartError } from '@ars/tools/dev/parts/part'

const requirementsFile = join(import.meta.dirname, 'requirements.txt')

/**
 * Answers the python of a virtual environment that holds Schemathesis. It is made on first use, beside its place and
 * moved there when it is whole, and anew when the list of packages has changed.
 */
export const keepSchemathesis = async (dir: string, say: (words: string) => void): Promise<string> => {
  const python = join(dir, 'bin', 'python')
  const wanted = readFileSync(requirementsFile, 'utf8')
  const mark = join(dir, 'installed.txt')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted && (await works(python))) return python
  const making = `${dir}.making-${process.pid}`
  try {
    mkdirSync(dirname(dir), { recursive: true })
    say('making a Python environment with Schemathesis')
    await run(await findPython(), ['-m', 'venv', making])
    const options = ['--require-hashes', '--no-deps', '--only-binary', ':all:', '--no-input', '--progress-bar', 'off']
    await run(join(making, 'bin', 'python'), ['-m', 'pip', 'install', ...options, '-r', requirementsFile])
    writeFileSync(join(making, 'installed.txt'), wanted)
    rmSync(dir, { recursive: true, force: true })
    renameSync(making, dir)
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
  return python
}

/** It points at the python that it was made with, which may be gone since. */
const works = (python: string): Promise<boolean> => succeeds(python, 'import schemathesis')

/** Python without `ensurepip` cannot create an environment; Debian ships it in a separate package. */
const findPython = async (): Promise<string> => {
  for (const each of ['python3', '/usr/bin/python3']) {
    if (await succeeds(each, 'import ensurepip, venv, sys; sys.exit(sys.version_info < (3, 11))')) return each
  }
  throw new PartError(
    'Schemathesis needs Python 3.11 or newer that can make virtual environments (Debian: apt-get install python3-venv)',
  )
}

const succeeds = (python: string, program: string): Promise<boolean> =>
  promisify(execFile)(python, ['-c', program], { timeout: 60_000 }).then(
    () => true,
    () => false,
  )

const run = async (program: string, args: readonly string[]): Promise<void> => {
  try {
    await promisify(execFile)(program, args, { timeout: 300_000, maxBuffer: 16 * 1_048_576 })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new PartError(`${program} ${args.join(' ')} failed:\n${(stderr + stdout).slice(-2000)}`, { cause: error })
  }
}
