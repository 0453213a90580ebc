import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { CommandError } from './exit-code.ts'

/** The text of a file, or of stdin for `-`, and the name of that place for messages. */
export const readTextFile = async (path: string): Promise<{ file: string; source: string }> => {
  if (path === '-') return { file: 'stdin', source: await text(process.stdin) }
  try {
    return { file: path, source: readFileSync(path, 'utf8') }
  } catch (error) {
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}
