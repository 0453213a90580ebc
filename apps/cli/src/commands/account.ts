import type { Command } from 'commander'
import { withExamples } from '../describe.ts'
import { CommandError } from '../exit-code.ts'
import { hintOf } from '../key-hint.ts'
import { acting, type Session } from '../session.ts'
import { profileNames, readStored, settingsFile, writeStored } from '../settings.ts'
import { fields } from '../table.ts'

export const addAccount = (program: Command): void => {
  withExamples(
    program
      .command('whoami')
      .description('show the address and the key that commands use, and what the key may still do this minute')
      .action(acting(whoami)),
    'ars whoami',
    'ars whoami --profile staging',
  )
  withExamples(
    program.command('logout').description('remove the key from the settings file').action(acting(logout)),
    'ars logout',
    'ars logout --profile staging',
  )
  withExamples(
    program.command('profiles').description('list the profiles of the settings file').action(acting(profiles)),
    'ars profiles',
  )
}

const whoami = async ({ terminal, settings, client, signal }: Session) => {
  const { baseUrl, apiKey = '', profile } = settings
  const { response, data } = await client().agents.list({ limit: 1 }, { signal }).withResponse()
  const limit = Number(response.headers.get('x-ratelimit-limit'))
  const remaining = Number(response.headers.get('x-ratelimit-remaining'))
  const known = {
    base_url: baseUrl,
    profile: profile ?? 'default',
    api_key: hintOf(apiKey),
    rate_limit: limit,
    rate_remaining: remaining,
    sees_agents: data.data.length > 0,
  }
  terminal.result(known, () =>
    fields([
      ['address', baseUrl],
      ['profile', known.profile],
      ['key', known.api_key],
      ['requests', `${remaining} left of ${limit}`],
    ]),
  )
  return undefined
}

const logout = async ({ terminal, settings: { profile } }: Session) => {
  if (readStored(profile).api_key === undefined) {
    throw new CommandError(`There is no key of the profile ${profile ?? 'default'} in ${settingsFile()}`, {
      advice: 'A key in ARS_API_KEY is not stored. Remove it from the environment.',
    })
  }
  const file = writeStored({ api_key: undefined }, profile)
  terminal.result(
    { file, profile: profile ?? 'default' },
    () => `The key was removed from ${file}. It still works until it is revoked: ars keys revoke <key>`,
  )
  return undefined
}

const profiles = async ({ terminal, settings: { profile: current } }: Session) => {
  const rows = ['default', ...profileNames()].map((name) => {
    const { base_url = null, api_key } = readStored(name === 'default' ? undefined : name)
    const hint = api_key === undefined ? null : hintOf(api_key)
    return { name, base_url, api_key: hint, is_current: name === (current ?? 'default') }
  })
  terminal.list({
    value: { object: 'list', data: rows },
    heads: ['', 'NAME', 'ADDRESS', 'KEY'],
    rows: rows.map((row) => [row.is_current ? '*' : '', row.name, row.base_url ?? '', row.api_key ?? '']),
    nothing: '',
  })
  return undefined
}
