import { agentSecrets } from '@ars/core/agents'
import { Config } from '@ars/core/config'
import { connectorSecrets } from '@ars/core/connectors'
import { type RotationReport, retiredKeptHours, rotateDataKeys } from '@ars/core/secrets'
import { webhookSecrets } from '@ars/core/webhooks'
import { ConfigError, parseConfig } from '@ars/platform/config'
import { KeyServiceUnavailable } from '@ars/platform/envelope-program'
import { fromUuid } from '@ars/platform/id'
import { openKeyring } from '../keyring.ts'
import { openSystem } from './with-services.ts'

type Options = { org: string | null; olderThanDays: number; json: boolean }

/**
 * `ars-server admin rotate-data-keys`: gives organisations a new data key and seals their secrets with it, while the
 * service runs. Exits 1 when an organisation failed.
 */
export const rotateKeys = async (env: NodeJS.ProcessEnv, { org, olderThanDays, json }: Options): Promise<number> => {
  const config = parseConfig(Config, env)
  const keyring = openKeyring(config, env)
  if (!keyring) throw new ConfigError('Set ARS_KEK_FILE or ARS_KEKS')
  const system = openSystem(config)
  const places = [connectorSecrets, ...webhookSecrets, ...agentSecrets]
  try {
    const report = await rotateDataKeys({ system, keyring, places }, { org, olderThanDays }, (done) =>
      process.stderr.write(`rotated ${done.rotated}, sealed ${done.resealed} secrets again\n`),
    )
    const failed = report.failed.map((each) => ({ organisation: fromUuid('org', each.org), reason: each.reason }))
    process.stdout.write(
      json ? `${JSON.stringify({ ...report, failed })}\n` : `${linesOf(report, failed).join('\n')}\n`,
    )
    return failed.length === 0 ? 0 : 1
  } catch (error) {
    if (!(error instanceof KeyServiceUnavailable)) throw error
    process.stderr.write(`${error.message}\nThe key service is unavailable. Run this command again.\n`)
    return 1
  } finally {
    await system.close()
  }
}

const linesOf = (report: RotationReport, failed: readonly { organisation: string; reason: string }[]): string[] => [
  `${report.rotated} organisations have a new data key. ${report.resealed} secrets were sealed again.`,
  ...(report.cleaned === 0 ? [] : [`The retired data keys of ${report.cleaned} organisations were deleted.`]),
  ...(report.retired === 0
    ? []
    : [
        `${report.retired} organisations keep retired data keys. Run this command again after ${retiredKeptHours} hours.`,
      ]),
  ...failed.map(({ organisation, reason }) => `${organisation}: ${reason}`),
]
