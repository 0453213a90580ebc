import { connect } from 'node:tls'
import { serverBounds } from './bounds.ts'

const { ms: maxAnswerMs } = serverBounds.peerCertificateAsked
const askEveryMs = 3_600_000

/** When the certificate of a server expires, asked at most once an hour. Null: the address has no TLS, or nobody answers. */
export const watchPeerCertificate = (url: string | undefined): (() => Promise<Date | null>) => {
  if (url === undefined) return () => Promise.resolve(null)
  const { protocol, hostname, port } = new URL(url)
  if (protocol !== 'rediss:') return () => Promise.resolve(null)
  let known: { atMs: number; until: Promise<Date | null> } | undefined
  return async () => {
    const nowMs = performance.now()
    if (!known || nowMs - known.atMs > askEveryMs)
      known = { atMs: nowMs, until: readExpiry(hostname, Number(port || 6379)) }
    const until = await known.until
    if (until === null) known = undefined
    return until
  }
}

const readExpiry = (host: string, port: number): Promise<Date | null> =>
  new Promise((resolve) => {
    // Only its date is read, and nothing is sent.
    const socket = connect({ host, port, rejectUnauthorized: false })
    const end = (until: Date | null): void => {
      socket.destroy()
      resolve(until)
    }
    socket.setTimeout(maxAnswerMs, () => end(null))
    socket.once('secureConnect', () => end(socket.getPeerX509Certificate()?.validToDate ?? null))
    socket.once('error', () => end(null))
  })
