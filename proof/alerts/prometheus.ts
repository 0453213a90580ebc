import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repositoryDir } from '@ars/tools/dev/server'
import { waitFor } from '../lab/condition.ts'

export type Alert = { labels: Record<string, string>; state: 'pending' | 'firing' }

/** A real Prometheus. A scrape waits up to 2 s for an engine that is down, so it gets 3 s. */
export type Prometheus = {
  /** The labels of a firing alert of this name, if there is one. */
  firing(name: string): Promise<Record<string, string> | undefined>
  /** Throws if the query is wrong. */
  query(expression: string): Promise<void>
  stop(): Promise<void>
}

export type Binaries = { prometheus: string; promtool: string }

/** From the folder in `PROMETHEUS_DIR`, or the Debian package, installed or unpacked into a temporary folder. */
export const findBinaries = (): Binaries => {
  const dir = process.env.PROMETHEUS_DIR ?? (existsSync('/usr/bin/promtool') ? '/usr/bin' : unpackPackage())
  return { prometheus: join(dir, 'prometheus'), promtool: join(dir, 'promtool') }
}

const unpackPackage = (): string => {
  const dir = join(tmpdir(), 'ars-prometheus')
  const bin = join(dir, 'files/usr/bin')
  if (existsSync(join(bin, 'promtool'))) return bin
  mkdirSync(dir, { recursive: true })
  execFileSync('apt-get', ['download', '-q', 'prometheus'], { cwd: dir, stdio: 'ignore' })
  const [file] = readdirSync(dir).filter((name) => name.endsWith('.deb'))
  if (file === undefined) throw new Error('apt-get downloaded no package; set PROMETHEUS_DIR')
  execFileSync('dpkg', ['-x', file, 'files'], { cwd: dir })
  return bin
}

export const rulesFolder = join(repositoryDir, 'deploy/prometheus')

/** The same expressions and thresholds in less time: minutes of waiting become seconds. */
export const hasten = (rules: string): string =>
  rules
    .replaceAll(/^( +for:) \w+$/gm, '$1 3s')
    .replaceAll(/\[\d+m\]/g, '[15s]')
    .replaceAll('+ 300', '+ 5')

export const startPrometheus = async (
  { prometheus }: Binaries,
  { port, targets }: { port: number; targets: readonly string[] },
): Promise<Prometheus> => {
  const dir = mkdtempSync(join(tmpdir(), 'ars-alerts-'))
  writeFileSync(join(dir, 'rules.yml'), hasten(readFileSync(join(rulesFolder, 'rules.yml'), 'utf8')))
  const config = {
    global: { scrape_interval: '3s', scrape_timeout: '3s', evaluation_interval: '1s' },
    rule_files: ['rules.yml'],
    scrape_configs: [{ job_name: 'ars', static_configs: [{ targets }] }],
  }
  // JSON is YAML.
  writeFileSync(join(dir, 'prometheus.yml'), JSON.stringify(config))
  const url = `http://127.0.0.1:${port}`
  const child = spawn(
    prometheus,
    [
      `--config.file=${join(dir, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: 'inherit' },
  )
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  // Also when a signal ends this program.
  process.once('exit', () => child.kill())
  await waitFor('Prometheus', async () => (await fetch(`${url}/-/ready`)).ok, { timeoutMs: 60_000 })
  return {
    firing: async (name) => {
      const answer = (await (await fetch(`${url}/api/v1/alerts`)).json()) as { data: { alerts: Alert[] } }
      return answer.data.alerts.find(({ labels, state }) => labels.alertname === name && state === 'firing')?.labels
    },
    query: async (expression) => {
      const answer = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expression })}`)
      if (!answer.ok) throw new Error(`${expression}: ${await answer.text()}`)
    },
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
