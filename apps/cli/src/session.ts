import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import tls from 'node:tls'
import { AgentRunService, type ClientOptions } from '@agent-run-service/sdk'
import type { Command } from 'commander'
import { cliBounds } from './bounds.ts'
import { CommandError, type ExitCode, exitCodes } from './exit-code.ts'
import { interruption } from './interruption.ts'
import { type Flags, findSettings, type Settings } from './settings.ts'
import { tellingFetch } from './telling-fetch.ts'
import { createTerminal, type Terminal } from './terminal.ts'

/** The context of a command. */
export type Session = {
  terminal: Terminal
  settings: Settings
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
  client(): AgentRunService
  /** For what is followed to its end: waits about a minute for a service that is away, and says so. */
  followingClient(): AgentRunService
}

/** Creates the action of a command. Its result is the exit code. */
export const acting =
  <Given extends unknown[]>(work: (session: Session, ...given: Given) => Promise<ExitCode | undefined>) =>
  async (...given: unknown[]): Promise<void> => {
    const command = given.pop() as Command
    const code = await work(openSession(command.optsWithGlobals<Flags>()), ...(given as Given))
    process.exitCode = code ?? exitCodes.ok
  }

const openSession = (flags: Flags): Session => {
  const settings = findSettings(flags)
  const terminal = createTerminal({ format: flags.output ?? (flags.json ? 'json' : 'table') })
  const { signal } = interruption
  return {
    settings,
    terminal,
    signal,
    client: () => openClient(settings),
    followingClient: () =>
      openClient(settings, { fetch: tellingFetch(terminal, signal), maxRetries: cliBounds.followTries.count }),
  }
}

export const openClient = (
  settings: CallSettings,
  options: Pick<ClientOptions, 'auth' | 'fetch' | 'maxRetries'> = {},
): AgentRunService => new AgentRunService({ ...settingsOfCall(settings), ...options })

type CallSettings = Pick<Settings, 'apiKey' | 'baseUrl' | 'caFile'>

/** What every request needs. Trusts the certificate of the settings. */
export const settingsOfCall = ({ apiKey, baseUrl, caFile }: CallSettings): { apiKey: string; baseUrl: string } => {
  if (apiKey === undefined) throw missing('API key', 'ARS_API_KEY')
  if (baseUrl === undefined) throw missing('address', 'ARS_BASE_URL')
  if (caFile !== undefined) trust(caFile)
  return { apiKey, baseUrl }
}

/** Reports a missing setting before anything is sent. */
const missing = (what: string, variable: string) =>
  new CommandError(`Missing ${what}`, {
    advice: `Log in with: ars login. Or set ${variable}.`,
    code: 'not_logged_in',
    exitCode: exitCodes.denied,
  })

/** Adds to the authorities that Node trusts, for this process only. */
const trust = (caFile: string): void => {
  let pem: string
  try {
    pem = readFileSync(caFile, 'utf8')
  } catch (error) {
    throw new CommandError(`The certificate file cannot be read: ${(error as Error).message}`, { cause: error })
  }
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw new CommandError(`${caFile} contains no PEM certificate`)
  // Node before 22.19 cannot change its authorities while it runs, but reads this variable when it starts.
  if (tls.setDefaultCACertificates === undefined) restartTrusting(caFile)
  else tls.setDefaultCACertificates([...tls.getCACertificates('default'), pem])
}

const restartTrusting = (caFile: string): void => {
  if (process.env.NODE_EXTRA_CA_CERTS === caFile) return
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: caFile }
  const { status } = spawnSync(process.execPath, process.argv.slice(1), { env, stdio: 'inherit' })
  process.exit(status ?? exitCodes.interrupted)
}
