import { spawn } from 'node:child_process'

/**
 * The environment of a program of the repository that a test starts: nothing but what it needs to be found. Its compiled
 * code is kept where the caller keeps it, because tests start the same programs hundreds of times.
 */
export const bareEnv = (): Record<string, string> => {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env
  return { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) }
}

export type ProgramEnd = { code: number | null; stdout: string; stderr: string }

/** Runs a TypeScript program with these settings only, to its end. */
export const runProgram = (
  main: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ProgramEnd> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...args], {
      env: { ...bareEnv(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []]
    child.stdout.on('data', (chunk) => stdout.push(chunk))
    child.stderr.on('data', (chunk) => stderr.push(chunk))
    child.on('error', reject)
    child.on('close', (code) =>
      resolve({ code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }),
    )
  })
