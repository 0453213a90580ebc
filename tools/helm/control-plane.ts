import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { binDir, cacheDir, downloadModule } from './install.ts'

export const kubernetesVersion = 'v1.33.13'

const token = 'operator'

const packages = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
} as const

/** Compiles the API server and etcd from the Go proxy: ten minutes on two cores. */
const buildControlPlane = (): void => {
  const missing = Object.entries(packages).filter(([name]) => !existsSync(join(binDir, name)))
  if (missing.length === 0) return
  const dir = join(cacheDir, 'kubernetes')
  mkdirSync(dir, { recursive: true })
  const theirs = readFileSync(join(downloadModule(`k8s.io/kubernetes@${kubernetesVersion}`), 'go.mod'), 'utf8')
  // The modules of Kubernetes replace one another by folders that the proxy does not have.
  const replaced = [...theirs.matchAll(/^\s*(k8s\.io\/[a-z0-9-]+) => \.\/staging/gm)].map(
    ([, module]) => `replace ${module} => ${module} ${kubernetesVersion.replace('v1.', 'v0.')}`,
  )
  const go = /^go .*$/m.exec(theirs)?.[0] ?? ''
  writeFileSync(
    join(dir, 'go.mod'),
    ['module control-plane', go, `require k8s.io/kubernetes ${kubernetesVersion}`, ...replaced, ''].join('\n'),
  )
  writeFileSync(
    join(dir, 'main.go'),
    'package main\n\nimport (\n\t_ "go.etcd.io/etcd/server/v3/etcdmain"\n\t_ "k8s.io/kubernetes/cmd/kube-apiserver/app"\n)\n\nfunc main() {}\n',
  )
  const run = (args: readonly string[]): unknown => execFileSync('go', args, { cwd: dir, stdio: 'inherit' })
  run(['mod', 'tidy', '-e'])
  const version = `-X k8s.io/component-base/version.gitVersion=${kubernetesVersion}`
  for (const [name, source] of missing) {
    console.log(`compiling ${source}`)
    run(['build', '-trimpath', '-ldflags', `-s -w ${version}`, '-o', join(binDir, name), source])
  }
}

export type ControlPlane = {
  kubeconfig: string
  /** Creates an object, or with `dryRun` only checks it; unknown fields are refused. */
  create(path: string, object: unknown, dryRun?: 'All'): Promise<void>
  stop(): Promise<void>
}

/** An API server without nodes: it accepts and checks objects, and no pod ever starts. */
export const startControlPlane = async (): Promise<ControlPlane> => {
  buildControlPlane()
  const dir = mkdtempSync(join(tmpdir(), 'ars-control-plane-'))
  const file = (name: string): string => join(dir, name)
  execFileSync('openssl', ['genpkey', '-algorithm', 'rsa', '-out', file('accounts.pem')], { stdio: 'ignore' })
  writeFileSync(file('tokens.csv'), `${token},operator,operator,system:masters\n`, { mode: 0o600 })
  const ports = { etcd: 23_790, peer: 23_800, api: 26_443 }
  const children = [
    spawn(
      join(binDir, 'etcd'),
      [
        `--data-dir=${file('etcd')}`,
        `--listen-client-urls=http://127.0.0.1:${ports.etcd}`,
        `--advertise-client-urls=http://127.0.0.1:${ports.etcd}`,
        `--listen-peer-urls=http://127.0.0.1:${ports.peer}`,
        '--log-level=error',
      ],
      { stdio: 'inherit' },
    ),
    spawn(
      join(binDir, 'kube-apiserver'),
      [
        `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
        '--bind-address=127.0.0.1',
        `--secure-port=${ports.api}`,
        `--cert-dir=${file('certificates')}`,
        '--service-cluster-ip-range=10.96.0.0/16',
        `--service-account-issuer=https://127.0.0.1:${ports.api}`,
        `--service-account-key-file=${file('accounts.pem')}`,
        `--service-account-signing-key-file=${file('accounts.pem')}`,
        `--token-auth-file=${file('tokens.csv')}`,
        '--authorization-mode=RBAC',
        '--disable-admission-plugins=ServiceAccount',
        '--v=0',
      ],
      { stdio: ['ignore', 'ignore', openSync(file('api-server.log'), 'w')] },
    ),
  ]
  const kubeconfig = file('kubeconfig.json')
  // JSON is YAML.
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        { name: 'c', cluster: { server: `https://127.0.0.1:${ports.api}`, 'insecure-skip-tls-verify': true } },
      ],
      users: [{ name: 'u', user: { token } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'default' } }],
      'current-context': 'x',
    }),
  )
  const stop = async (): Promise<void> => {
    for (const child of children.toReversed()) {
      if (child.exitCode !== null) continue
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
    }
    rmSync(dir, { recursive: true, force: true })
  }
  try {
    await untilReady(kubeconfig, () => children.every(({ exitCode }) => exitCode === null))
  } catch (error) {
    console.error(readFileSync(file('api-server.log'), 'utf8').slice(-2_000))
    await stop()
    throw error
  }
  return { kubeconfig, create: creator(ports.api), stop }
}

const untilReady = async (kubeconfig: string, isAlive: () => boolean): Promise<void> => {
  for (let tries = 0; tries < 240; tries++) {
    if (!isAlive()) throw new Error('etcd or the API server has ended')
    try {
      execFileSync(join(binDir, 'helm'), ['list', '--kubeconfig', kubeconfig, '--namespace', 'default'], {
        stdio: 'ignore',
      })
      return
    } catch {
      await sleep(500)
    }
  }
  throw new Error('the API server is not ready after two minutes')
}

const creator =
  (port: number): ControlPlane['create'] =>
  (path, object, dryRun) =>
    new Promise((resolve, reject) => {
      const request = https.request(
        {
          port,
          host: '127.0.0.1',
          method: 'POST',
          path: `${path}?fieldValidation=Strict${dryRun ? `&dryRun=${dryRun}` : ''}`,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          // The server has made its certificate itself.
          rejectUnauthorized: false,
        },
        async (response) => {
          let body = ''
          for await (const part of response) body += String(part)
          if ((response.statusCode ?? 500) < 300) resolve()
          else reject(new Error(`${path}: ${body}`))
        },
      )
      request.once('error', reject)
      request.end(JSON.stringify(object))
    })
