import { agentSecrets } from '@ars/core/agents'
import { connectorSecrets } from '@ars/core/connectors'
import { policySecrets } from '@ars/core/guardrails'
import { destinationSecrets } from '@ars/core/mail'
import { providerKeySecrets } from '@ars/core/models'
import { heldSecrets } from '@ars/core/runs'
import { type RotationReport, retiredKeptHours, rotateDataKeys } from '@ars/core/secrets'
import { webhookSecrets } from '@ars/core/webhooks'
import { systemClock } from '@ars/platform/clock'
import { createIdMaker, fromUuid } from '@ars/platform/id'
import { withDataKeys } from './with-services.ts'

type Options = { org: string | null; olderThanDays: number; json: boolean }

/**
 * `ars-server admin rotate-data-keys`: gives organisations a new data key and seals their secrets with it, while the
 * service runs. Exits 1 when an organisation failed.
 */
export const rotateKeys = async (env: NodeJS.ProcessEnv, { org, olderThanDays, json }: Options): Promise<number> => {
  const whenUnavailable = 'Run this command again.'
  return withDataKeys(env, { whenUnavailable }, async ({ system, keyring }) => {
    const places = [
      connectorSecrets,
      ...webhookSecrets,
      ...agentSecrets,
      destinationSecrets,
      heldSecrets,
      policySecrets,
      providerKeySecrets,
    ]
    const report = await rotateDataKeys(
      { system, keyring, places, newId: createIdMaker(systemClock) },
      { org, olderThanDays },
      (done) => process.stderr.write(`rotated ${done.rotated}, sealed ${done.resealed} secrets again\n`),
    )
    const failed = report.failed.map((each) => ({ organisation: fromUuid('org', each.org), reason: each.reason }))
    process.stdout.write(
      json ? `${JSON.stringify({ ...report, failed })}\n` : `${linesOf(report, failed).join('\n')}\n`,
    )
    return failed.length === 0 ? 0 : 1
  })
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
