import { Config } from '@ars/core/config'
import { rewrapKeys } from '@ars/core/secrets'
import { ConfigError, parseConfig } from '@ars/platform/config'
import { KeyServiceUnavailable } from '@ars/platform/envelope-program'
import { fromUuid } from '@ars/platform/id'
import { openKeyring } from '../keyring.ts'
import { openSystem } from './with-services.ts'

/**
 * `ars-server admin rewrap`: rewraps every organisation's data key with the first key-encryption key, while the service
 * runs. Exits 1 while another key is still needed.
 */
export const rewrap = async (env: NodeJS.ProcessEnv, { json }: { json: boolean }): Promise<number> => {
  const config = parseConfig(Config, env)
  const keyring = openKeyring(config, env)
  if (!keyring) throw new ConfigError('Set ARS_KEK_FILE or ARS_KEKS')
  const system = openSystem(config)
  try {
    const report = await rewrapKeys({ system, keyring }, ({ rewrapped, failed }) =>
      process.stderr.write(`rewrapped ${rewrapped}${failed === 0 ? '' : `, failed ${failed}`}\n`),
    )
    const failed = report.failed.map(({ org, kekId, reason }) => ({
      organisation: fromUuid('org', org),
      kekId,
      reason,
    }))
    const left = Object.entries(report.left)
    const lines = [
      `${report.rewrapped} data keys are now wrapped with ${report.active}.`,
      ...failed.map(({ organisation, reason }) => `${organisation}: ${reason}`),
      ...(left.length === 0 ? ['No other key-encryption key is needed.'] : []),
      ...left.map(([kekId, count]) => `${count} data keys still need ${kekId}. Keep it and run this command again.`),
    ]
    process.stdout.write(
      json
        ? `${JSON.stringify({ active: report.active, rewrapped: report.rewrapped, left: report.left, failed })}\n`
        : `${lines.join('\n')}\n`,
    )
    return left.length === 0 ? 0 : 1
  } catch (error) {
    if (!(error instanceof KeyServiceUnavailable)) throw error
    process.stderr.write(
      `${error.message}\nThe key service is unavailable. Finished rows stay rewrapped. Run this command again.\n`,
    )
    return 1
  } finally {
    await system.close()
  }
}
