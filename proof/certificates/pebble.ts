import { execFile, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repositoryDir } from '@ars/tools/dev/server'
import { waitFor } from '../lab/condition.ts'

const run = promisify(execFile)
const version = 'v2.10.1'
const module = 'github.com/letsencrypt/pebble/v2'

/** Pebble, the test server of Let's Encrypt, as an authority on this computer. It asks for challenges at `httpPort`. */
export type Pebble = { directory: string; caFile: string; stop(): void }

export const startPebble = async (
  dir: string,
  ports: { api: number; management: number; http: number },
): Promise<Pebble> => {
  const cache = join(repositoryDir, '.cache/go')
  const program = join(cache, 'pebble')
  if (!existsSync(program)) {
    await run('go', ['install', `${module}/cmd/pebble@${version}`], {
      env: { ...process.env, GOBIN: cache, GOFLAGS: '' },
    })
  }
  const { stdout } = await run('go', ['mod', 'download', '-json', `${module}@${version}`])
  const source = (JSON.parse(stdout) as { Dir: string }).Dir
  const config = JSON.parse(readFileSync(join(source, 'test/config/pebble-config.json'), 'utf8'))
  Object.assign(config.pebble, {
    listenAddress: `127.0.0.1:${ports.api}`,
    managementListenAddress: `127.0.0.1:${ports.management}`,
    certificate: join(source, 'test/certs/localhost/cert.pem'),
    privateKey: join(source, 'test/certs/localhost/key.pem'),
    httpPort: ports.http,
  })
  const file = join(dir, 'pebble.json')
  writeFileSync(file, JSON.stringify(config))
  // Without these it refuses some requests on purpose, and sleeps before it validates.
  const env = { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0' }
  const child = spawn(program, ['-config', file], { env, stdio: 'ignore' })
  const caFile = join(source, 'test/certs/pebble.minica.pem')
  const directory = `https://localhost:${ports.api}/dir`
  await waitFor(
    'Pebble to answer',
    async () => (await run('curl', ['-sf', '--cacert', caFile, directory])).stdout !== '',
    {
      timeoutMs: 60_000,
    },
  )
  return { directory, caFile, stop: () => void child.kill('SIGKILL') }
}
