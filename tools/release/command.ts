import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Runs a program to its end and returns its standard output. A status other than 0 is an error with the output. */
export const command = async (
  program: string,
  args: readonly string[],
  { cwd, env = process.env }: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<string> => {
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd, env, maxBuffer: 64 * 1_048_576 })
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${program} ${args.join(' ')} failed:\n${(stdout + stderr).slice(-4_000)}`, { cause: error })
  }
}
