import { OrganisationId } from '@ars/contract'
import { type AuditVerdict, auditedOrganisations, verifyAudit as verify } from '@ars/core/audit'
import { Config } from '@ars/core/config'
import { ConfigError, parseConfig } from '@ars/platform/config'
import { fromUuid, toUuid } from '@ars/platform/id'
import { openSystem } from './with-services.ts'

/**
 * `ars-server admin verify-audit`: prints one line for each organisation. Exits 1 if an audit log has a changed or
 * missing row.
 */
export const verifyAudit = async (env: NodeJS.ProcessEnv, { org }: { org: string | undefined }): Promise<number> => {
  const config = parseConfig(Config, env)
  const asked = org === undefined ? undefined : OrganisationId.safeParse(org)
  if (asked?.success === false) throw new ConfigError(`--org: ${org} is not the id of an organisation, org_…`)
  const system = openSystem(config)
  try {
    const organisations = asked ? [toUuid(asked.data)] : auditedOrganisations(system)
    let isBroken = false
    for await (const organisation of organisations) {
      const verdict = await verify(system, organisation)
      isBroken ||= verdict.broken !== null
      process.stdout.write(`${lineOf(fromUuid('org', organisation), verdict)}\n`)
    }
    return isBroken ? 1 : 0
  } finally {
    await system.close()
  }
}

const lineOf = (organisation: string, { entries, head, broken }: AuditVerdict): string =>
  broken
    ? `BROKEN  ${organisation}  entry ${broken.number} of ${entries} is ${broken.reason}`
    : `ok      ${organisation}  ${entries} entries, last hash ${head}`
