import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bareEnv } from '@ars/testkit/slow/program'
import { stackFacts } from '@ars/testkit/stack'
import { vi } from 'vitest'

// Each command is a separate process, and a test starts several.
vi.setConfig({ testTimeout: 180_000 })

const program = join(import.meta.dirname, '../src/main.ts')

/** `ars` as a separate process with an isolated home directory. */
export type Home = {
  folder: string
  configFile: string
  env: Record<string, string>
  run(args: readonly string[], options?: { stdin?: string; env?: Record<string, string> }): Promise<Ended>
  start(args: readonly string[]): Running
  remove(): void
}

export type Ended = {
  code: number | null
  stdout: string
  stderr: string
  // biome-ignore lint/suspicious/noExplicitAny: a document is looked into by tests that say what they expect of it
  json: any
}

export type Running = {
  child: ChildProcess
  stdout(): string
  stderr(): string
  ended: Promise<Ended>
}

export const makeHome = (account: { url?: string; key?: string } = {}): Home => {
  const folder = mkdtempSync(join(tmpdir(), 'ars-home-'))
  const env: Record<string, string> = {
    ...bareEnv(),
    HOME: folder,
    ARS_CA_FILE: stackFacts().tls.certFile,
    ...(account.url === undefined ? {} : { ARS_BASE_URL: `${account.url}/v2` }),
    ...(account.key === undefined ? {} : { ARS_API_KEY: account.key }),
  }
  const start = (args: readonly string[], more: Record<string, string> = {}): Running => {
    const child = spawn(process.execPath, [program, ...args], {
      env: { ...env, ...more },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text
    })
    const ended = new Promise<Ended>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => resolve({ code, stdout, stderr, json: parse(stdout) }))
    })
    return { child, stdout: () => stdout, stderr: () => stderr, ended }
  }
  return {
    folder,
    configFile: join(folder, '.config/ars/config.json'),
    env,
    start: (args) => start(args),
    run: (args, { stdin = '', env: more } = {}) => {
      const running = start(args, more)
      running.child.stdin?.end(stdin)
      return running.ended
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** The parsed output, if it is JSON. */
const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
