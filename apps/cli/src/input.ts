import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { CommandError } from './exit-code.ts'
import { isRecord } from './record.ts'

/** Reads JSON from the command line: inline, `@file`, or `-` for stdin. */
export const readJson = async (given: string, what: string): Promise<unknown> => {
  const source = await readSource(given, what)
  try {
    return JSON.parse(source)
  } catch (error) {
    throw new CommandError(`${what} is not JSON: ${(error as Error).message}`, {
      advice: `Use single quotes, for example '{"query":"Hello"}', or a file: @input.json`,
      cause: error,
    })
  }
}

export const readJsonObject = async (given: string, what: string): Promise<Record<string, unknown>> => {
  const value = await readJson(given, what)
  if (isRecord(value)) return value
  throw new CommandError(`${what} must be a JSON object`, { advice: `For example '{"query":"Hello"}'.` })
}

export const readSource = async (given: string, what: string): Promise<string> => {
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
