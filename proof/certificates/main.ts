import { execFile } from 'node:child_process'
import type { X509Certificate } from 'node:crypto'
import { chownSync, copyFileSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { parseArgs, promisify } from 'node:util'
import { reserveFreeBlock } from '@ars/tools/dev/parts/ports'
import { repositoryDir } from '@ars/tools/dev/server'
import { type ApiCaller, apiCaller } from '../lab/client/api-caller.ts'
import { waitFor } from '../lab/condition.ts'
import { keepOutcome } from '../lab/report/keep.ts'
import { bar, claim, hasHeld, inWords, type Outcome } from '../lab/report/outcome.ts'
import { startTemporaryStack, stopStacksOnSignals } from '../lab/stack/temporary-stack.ts'
import { startPebble } from './pebble.ts'

const help = `pnpm certificates: Certbot gets the certificate of a gateway that serves, and renews it.

The authority is Pebble, the test server of Let's Encrypt. The hook is that of deploy/certbot, used as docs/operate/certificates.md
shows it. A stream is open meanwhile. It needs root, Go and Certbot (apt-get install --no-install-recommends certbot).
`

const run = promisify(execFile)
const hook = join(repositoryDir, 'deploy/certbot/ars-certificate')
/** The user of the gateways in containers. */
const gatewayUser = 65_532

const main = async (): Promise<void> => {
  stopStacksOnSignals()
  const temporary = await startTemporaryStack('certificates')
  const { stack } = temporary
  const { base, release } = await reserveFreeBlock()
  const ports = { api: base, management: base + 1, http: base + 2 }
  const dir = join(stack.dir, 'acme')
  const tls = join(stack.dir, 'served')
  const files = { cert: join(tls, 'cert.pem'), key: join(tls, 'key.pem') }
  for (const folder of [dir, tls]) mkdirSync(folder)
  const pebble = await startPebble(dir, ports)
  const certbot = (args: readonly string[]) =>
    run(
      'certbot',
      [
        ...['--non-interactive', '--agree-tos', '--register-unsafely-without-email', '--server', pebble.directory],
        ...['config', 'work', 'logs'].flatMap((kind) => [`--${kind}-dir`, join(dir, kind)]),
        ...['--http-01-port', String(ports.http), ...args],
      ],
      { env: { ...process.env, REQUESTS_CA_BUNDLE: pebble.caFile } },
    )
  let outcome: Outcome | undefined
  try {
    copyFileSync(stack.tls.certFile, files.cert)
    copyFileSync(stack.tls.keyFile, files.key)
    chownSync(tls, gatewayUser, gatewayUser)
    const env = { ARS_TLS_CERT_FILE: files.cert, ARS_TLS_KEY_FILE: files.key }
    await stack.server({ role: 'all', env }).start()
    const port = stack.ports.gateway[0]
    const own = await certificateAt(port)
    const api = apiCaller({ port, ca: readFileSync(stack.tls.certFile) })
    const stream = readStream(api, temporary.seed.api_key, temporary.agentId('test-stream'))

    await certbot(['certonly', '--standalone', '--domain', 'localhost', '--deploy-hook', `${hook} ${tls}`])
    const { seconds: firstAfter, found: first } = await served(port, own)
    // Without this option, Certbot waits up to eight minutes, so that not all computers renew at once.
    await certbot(['renew', '--force-renewal', '--no-random-sleep-on-renew'])
    const { seconds: secondAfter, found: second } = await served(port, first)
    const frames = await stream
    api.close()
    const { mode, uid } = statSync(files.key)

    outcome = {
      metrics: [
        ['seconds until the first certificate is in use', firstAfter.toFixed(1)],
        ['seconds until the renewed one is in use', secondAfter.toFixed(1)],
      ],
      claims: [
        claim('a gateway takes the certificate of the authority', isOf(first, 'Pebble'), first.issuer),
        claim(
          'it takes the renewed one',
          isOf(second, 'Pebble') && second.serialNumber !== first.serialNumber,
          second.issuer,
        ),
        claim('it served its own certificate before', !isOf(own, 'Pebble'), own.issuer),
        claim(
          'a stream that was open meanwhile ends as usual',
          frames.includes('event: run.completed'),
          frames.slice(-300),
        ),
        claim(
          'only the user of the gateways reads the key',
          (mode & 0o777) === 0o600 && uid === gatewayUser,
          `${mode.toString(8)} of ${uid}`,
        ),
        bar('seconds until a new certificate is in use', Math.max(firstAfter, secondAfter), { most: 10 }),
      ],
    }
    keepOutcome({ proof: 'certificates', size: 'short', outcome })
    console.log(inWords(outcome))
    process.exitCode = hasHeld(outcome) ? 0 : 1
  } finally {
    pebble.stop()
    await release()
    await temporary.dispose({ keepFiles: outcome === undefined })
  }
}

const isOf = ({ issuer }: X509Certificate, authority: string): boolean => issuer.includes(authority)

const certificateAt = (port: number): Promise<X509Certificate> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', rejectUnauthorized: false }, () => {
      const found = socket.getPeerX509Certificate()
      socket.destroy()
      if (found) resolve(found)
      else reject(new Error('no certificate'))
    })
    socket.on('error', reject)
  })

/** The certificate that replaces the given one, and how long that took. */
const served = async (port: number, before: X509Certificate): Promise<{ seconds: number; found: X509Certificate }> => {
  const fromMs = performance.now()
  const isOther = async () => {
    const at = await certificateAt(port)
    return at.serialNumber !== before.serialNumber && at
  }
  const found = await waitFor('another certificate', isOther, { timeoutMs: 60_000 })
  return { seconds: (performance.now() - fromMs) / 1000, found }
}

/** The whole text of a stream of a minute, on one connection. */
const readStream = async (api: ApiCaller, key: string, agent: string): Promise<string> => {
  const headers = { authorization: `Bearer ${key}` }
  const body = { agent_id: agent, input: { chunks: 60, delay_ms: 1_000 } }
  return text((await api.open({ method: 'POST', path: '/v2/runs/stream', headers, body })).body)
}

const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } })
if (values.help) console.log(help)
else await main()
