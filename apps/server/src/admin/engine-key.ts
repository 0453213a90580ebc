import { readFileSync } from 'node:fs'
import { publicIdentityKey } from '@ars/platform/durable/identity-key'
import { type Command, tell, UsageError } from './command.ts'

/** Restate shows its public key only in its log. */
export const engineKey: Command = {
  usage: '<identity.pem> [--json]',
  does: 'print the public half of the engine’s key, for ARS_ENGINE_IDENTITY_KEY',
  options: { json: { type: 'boolean' } },
  argument: 'file',
  run: async (_env, values) => {
    const { file } = values
    if (typeof file !== 'string') throw new UsageError('Name the file with the private key of the engine')
    const key = readKey(file)
    return tell(values, { key }, [key])
  },
}

const readKey = (file: string): string => {
  try {
    return publicIdentityKey(readFileSync(file, 'utf8'))
  } catch (error) {
    // The message of the library never contains the key.
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}
