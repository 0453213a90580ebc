import { readFileSync } from 'node:fs'
import { connect } from 'node:tls'
import type { Config } from '@ars/core/config'
import { serverBounds } from '../bounds.ts'
import { isLoopback } from '../exposure.ts'
import { describe, type Finding } from './finding.ts'

const maxAnswerMs = serverBounds.publicAddressAsked.ms

/** Opens the address that clients use, and verifies its certificate as they do. */
export const checkPublicAddress = async (config: Config): Promise<Finding> => {
  const what = 'public address opens'
  const { protocol, hostname, port } = new URL(config.publicUrl)
  if (protocol !== 'https:') return { what, found: 'not opened: it is no https:// address' }
  const host = hostname.replace(/^\[|\]$/g, '')
  // Only this machine trusts its own certificate; everybody else has the usual authorities.
  const isLocal = isLoopback(hostname)
  const fault = await openTls({ host, port: Number(port || 443), ca: isLocal ? readOwn(config) : undefined })
  if (fault === null) return { what, found: `${config.publicUrl} answers with a certificate that clients accept` }
  // In a container, this machine is another one.
  if (isLocal && /ECONNREFUSED/.test(fault)) return { what, found: 'nobody listens there on this machine' }
  const advice = /certificate|self.signed|altname/i.test(fault)
    ? 'Clients refuse this certificate. Request one of a public authority, or give clients this one (ARS_CA_FILE of `ars`).'
    : 'Clients cannot connect. Check DNS, the firewall, and that a gateway or a proxy listens on that port. Some networks cannot open their own public address: then try it from outside.'
  return { what, found: `${config.publicUrl}: ${fault}`, advice }
}

const readOwn = ({ tlsCertFile }: Config): Buffer | undefined => {
  try {
    return readFileSync(tlsCertFile)
  } catch {
    return undefined
  }
}

const openTls = ({ host, port, ca }: { host: string; port: number; ca: Buffer | undefined }): Promise<string | null> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, servername: /^[\d.:]+$/.test(host) ? '' : host, ...(ca && { ca }) })
    const end = (fault: string | null): void => {
      socket.destroy()
      resolve(fault)
    }
    socket.setTimeout(maxAnswerMs, () => end(`no answer within ${maxAnswerMs / 1000} s`))
    socket.once('secureConnect', () => end(null))
    socket.once('error', (error) => end(describe(error)))
  })
