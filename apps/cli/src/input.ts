import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { parse } from 'yaml'
import { CommandError, exitCodes } from './exit-code.ts'
import { isRecord } from './record.ts'

// `json` rejects what a shell leaves of JSON without quotes, which YAML would accept: `{query:Hello}`.
const forms = {
  json: { words: 'JSON', parse: (text: string): unknown => JSON.parse(text) },
  // YAML contains JSON.
  yaml: { words: 'JSON or YAML', parse: (text: string): unknown => parse(text) },
} as const

type Form = keyof typeof forms

/** Reads a value from the command line: inline, `@file`, or `-` for stdin. */
export const readValue = async (given: string, what: string, form: Form = 'yaml'): Promise<unknown> => {
  const source = await readSource(given, what)
  try {
    return forms[form].parse(source)
  } catch (error) {
    throw new CommandError(`${what} is not ${forms[form].words}: ${(error as Error).message}`, {
      advice: `Use single quotes, for example '{"query":"Hello"}', or a file: @input.json`,
      cause: error,
    })
  }
}

/** Reads a secret: `@file`, or `-` for stdin. The first line counts. */
export const readSecret = async (given: string, flag: string): Promise<string> => {
  if (given === '-' || given.startsWith('@')) return ((await readSource(given, flag)).split('\n')[0] ?? '').trim()
  return refuseInline(flag)
}

export const refuseInline = (flag: string, which = ''): never => {
  throw new CommandError(
    `${flag}${which} does not take the secret itself, which the history of your shell would keep`,
    {
      advice: `Name a file (${flag} @file), or pipe it in (${flag} -).`,
      exitCode: exitCodes.usage,
    },
  )
}

export const readObject = async (
  given: string,
  what: string,
  form: Form = 'yaml',
): Promise<Record<string, unknown>> => {
  const value = await readValue(given, what, form)
  if (isRecord(value)) return value
  throw new CommandError(`${what} must be a ${forms[form].words} object`, {
    advice: `For example '{"query":"Hello"}'.`,
  })
}

/** An object of strings. */
export const readMetadata = async (given: string): Promise<Record<string, string>> => {
  const metadata = await readObject(given, '--metadata', 'json')
  const wrong = Object.entries(metadata).find(([, value]) => typeof value !== 'string')
  if (wrong) throw new CommandError(`--metadata: ${wrong[0]} must be a string`)
  return metadata as Record<string, string>
}

const readSource = async (given: string, what: string): Promise<string> => {
  if (given === '-') return await text(process.stdin)
  if (!given.startsWith('@')) return given
  try {
    return readFileSync(given.slice(1), 'utf8')
  } catch (error) {
    throw new CommandError(`${what} cannot be read from ${given.slice(1)}: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
