import type { Config } from '@ars/core/config'
import { ConfigError } from '@ars/platform/config'
import { createKeyring, type Kek, type Keyring, parseKek, readKekFile } from '@ars/platform/envelope'
import type { Environment } from '@ars/platform/envelope-program'

/** The key-encryption keys for customers' secrets. The first is active; the others can still decrypt. */
export const openKeyring = (
  { kekFile, keks }: Pick<Config, 'kekFile' | 'keks'>,
  environment: Environment,
): Keyring | undefined => {
  if (kekFile !== undefined && keks !== undefined)
    throw new ConfigError('Set either ARS_KEK_FILE or ARS_KEKS, not both')
  if (kekFile !== undefined) return named('ARS_KEK_FILE', () => readKekFile(kekFile, environment))
  if (keks !== undefined) return named('ARS_KEKS', () => keks.split(',').map((kek) => parseKek(kek, environment)))
  return undefined
}

const named = (variable: string, read: () => Kek[]): Keyring => {
  try {
    const keys = read()
    return createKeyring({ keks: keys, activeKekId: keys[0]?.id ?? '' })
  } catch (error) {
    // The message never contains a key.
    throw new ConfigError(`${variable}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}
