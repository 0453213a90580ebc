import type { Config } from '@ars/core/config'
import { ConfigError } from '@ars/platform/config'
import { createEgress, type Egress } from '@ars/platform/egress/egress'
import { certificatesIn } from './certificates.ts'

type EgressConfig = Pick<
  Config,
  'egressAllowRanges' | 'egressAllowPorts' | 'egressCaFile' | 'egressAllowPlainHttp' | 'testStack'
>

/** The egress client with the operator's exceptions. An invalid setting stops the start and is named. */
export const openEgress = (config: EgressConfig): Egress => {
  if (config.egressAllowPlainHttp && !config.testStack)
    throw new ConfigError('ARS_EGRESS_ALLOW_PLAIN_HTTP: allowed only on a test stack (ARS_TEST_STACK)')
  const allowPorts = portsOf(config)
  const extraCertificates = certificatesIn('ARS_EGRESS_CA_FILE', config.egressCaFile)
  try {
    return createEgress({
      allowRanges: config.egressAllowRanges,
      allowPorts,
      allowPlainHttp: config.egressAllowPlainHttp,
      extraCertificates,
      userAgent: 'agent-run-service',
    })
  } catch (error) {
    throw new ConfigError(`ARS_EGRESS_ALLOW_RANGES: ${messageOf(error)}`, { cause: error })
  }
}

const portsOf = ({ egressAllowPorts, testStack }: EgressConfig): number[] | 'any' => {
  if (egressAllowPorts.length === 1 && egressAllowPorts[0] === 'any') {
    if (!testStack)
      throw new ConfigError('ARS_EGRESS_ALLOW_PORTS: `any` is allowed only on a test stack (ARS_TEST_STACK)')
    return 'any'
  }
  return egressAllowPorts.map((text) => {
    const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0
    if (port < 1 || port > 65_535)
      throw new ConfigError('ARS_EGRESS_ALLOW_PORTS: must be a list of ports, for example 8443,9443')
    return port
  })
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
