import { resolve } from 'node:path'
import { PermissionError } from '@agent-run-service/sdk'
import type { Command } from 'commander'
import { withExamples } from '../describe.ts'
import { CommandError } from '../exit-code.ts'
import { hintOf } from '../key-hint.ts'
import { ask, askHidden } from '../prompt.ts'
import { acting, openClient, type Session } from '../session.ts'
import { settingsFile, toBaseUrl, writeStored } from '../settings.ts'

const usualBaseUrl = 'https://localhost:8443/v2'

export const addLogin = (program: Command): void => {
  withExamples(
    program
      .command('login')
      .description(
        'check an API key and a base URL, and store them in the settings file; prompts for the key or reads it from stdin',
      )
      .action(acting(login)),
    'ars login',
    'ars login --base-url https://localhost:8443 --ca-file .dev/tls/cert.pem < .dev/api-key',
  )
}

const login = async ({ terminal, settings, signal }: Session) => {
  const { sources, profile } = settings
  const baseUrl = settings.baseUrl ?? toBaseUrl((await ask('Address of the API', usualBaseUrl)) || usualBaseUrl)
  // This command replaces the key of the settings file.
  const known = sources.apiKey === 'file' ? undefined : settings.apiKey
  const apiKey = known ?? (await askHidden('API key (hidden): '))
  if (apiKey === '') throw new CommandError('No key was given', { advice: 'Enter it, pipe it in, or set ARS_API_KEY.' })
  const caFile = settings.caFile === undefined ? undefined : resolve(settings.caFile)
  const isNarrow = await check(openClient({ apiKey, baseUrl, caFile }), signal)
  const stored = { base_url: baseUrl, api_key: apiKey, ...(caFile === undefined ? {} : { ca_file: caFile }) }
  const file = writeStored(stored, profile)
  terminal.result(
    { base_url: baseUrl, ca_file: caFile ?? null, file },
    () => `Logged in at ${baseUrl}. Settings stored in ${file}.`,
  )
  if (isNarrow) terminal.note('The key is valid, but lacks the scope agents:read. Some commands will be rejected.')
  else if (!terminal.isJson) terminal.note('List the agents with: ars agents list')
  return undefined
}

/** Checks the key with a read-only call. A key without that scope is still valid. */
const check = async (client: ReturnType<typeof openClient>, signal: AbortSignal): Promise<boolean> => {
  try {
    await client.agents.list({ limit: 1 }, { signal, maxRetries: 0 })
    return false
  } catch (error) {
    if (error instanceof PermissionError && error.code === 'forbidden') return true
    throw error
  }
}

export const addConfig = (program: Command): void => {
  const config = withExamples(program.command('config').description('show settings'), 'ars config show')
  withExamples(
    config.command('show').description('show the current settings and their sources').action(acting(show)),
    'ars config show',
  )
}

const show = async ({ terminal, settings }: Session) => {
  const { baseUrl, apiKey, caFile, sources } = settings
  const shown = {
    file: settingsFile(),
    base_url: { value: baseUrl ?? null, from: sources.baseUrl },
    api_key: { value: apiKey === undefined ? null : hintOf(apiKey), from: sources.apiKey },
    ca_file: { value: caFile ?? null, from: sources.caFile },
  }
  terminal.list({
    value: shown,
    heads: ['SETTING', 'VALUE', 'FROM'],
    rows: (['base_url', 'api_key', 'ca_file'] as const).map((name) => {
      const { value, from } = shown[name]
      return [name, value ?? '(not set)', from === 'nowhere' ? '' : sourceWords(from)]
    }),
    nothing: '',
  })
  return undefined
}

const sourceWords = (from: 'flag' | 'environment' | 'file'): string =>
  from === 'file' ? settingsFile() : `the ${from}`
