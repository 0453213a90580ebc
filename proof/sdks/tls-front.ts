import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { createServer } from 'node:tls'

/** What stands before a program of a customer: it has the certificate and passes the bytes on. */
export type TlsFront = {
  readonly port: number
  readonly url: string
  /** Passes new connections to this port of this computer. */
  leadTo(port: number): void
  close(): void
}

export const startTlsFront = async (tls: { certFile: string; keyFile: string }): Promise<TlsFront> => {
  let target = 0
  const options = { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) }
  const server = createServer(options, (caller) => {
    const program = connect(target, 'localhost')
    caller.on('error', () => program.destroy()).on('close', () => program.destroy())
    program.on('error', () => caller.destroy()).on('close', () => caller.destroy())
    caller.pipe(program).pipe(caller)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `https://127.0.0.1:${port}/`,
    leadTo: (next) => {
      target = next
    },
    close: () => server.close(),
  }
}
