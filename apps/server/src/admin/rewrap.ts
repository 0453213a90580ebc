import { rewrapKeys } from '@ars/core/secrets'
import { fromUuid } from '@ars/platform/id'
import { withDataKeys } from './with-services.ts'

/**
 * `ars-server admin rewrap`: rewraps every organisation's data key with the first key-encryption key, while the service
 * runs. Exits 1 while another key is still needed.
 */
export const rewrap = async (env: NodeJS.ProcessEnv, { json }: { json: boolean }): Promise<number> => {
  const whenUnavailable = 'Finished rows stay rewrapped. Run this command again.'
  return withDataKeys(env, { whenUnavailable }, async ({ system, keyring }) => {
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
  })
}
