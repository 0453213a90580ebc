import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { kubernetesVersion, startControlPlane } from './control-plane.ts'
import { binDir, installPrograms, type Program } from './install.ts'
import { schemasDir, writeSchemas } from './schemas.ts'
import { parseRenderedSettings } from './settings.ts'

// pnpm helm                lint, templates of every value file, kubeconform -strict, kube-score, settings as the server parses them
// pnpm helm --api-server   also installs and upgrades the chart on a real API server, compiled once from the Go proxy
// pnpm helm --schemas      derives the schemas for kubeconform from the sources of Kubernetes

const { values: options } = parseArgs({
  options: {
    'api-server': { type: 'boolean', default: false },
    schemas: { type: 'boolean', default: false },
  },
})

const chart = join(import.meta.dirname, '../../deploy/helm/agent-run-service')
const valueFiles = readdirSync(join(chart, 'ci')).map((name) => join(chart, 'ci', name))

// What kube-score wants and the chart does without, and why.
const notScored = [
  // The tag is a version, which never changes.
  'container-image-pull-policy',
  // Spread by topologySpreadConstraints.
  'deployment-has-host-podantiaffinity',
]

const run = (program: Program, args: readonly string[], input?: string): string =>
  execFileSync(join(binDir, program), args, { encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'inherit'] })

const check = async (what: string, work: () => unknown): Promise<void> => {
  try {
    await work()
    console.log(`✓ ${what}`)
  } catch (error) {
    process.exitCode = 1
    const printed = error instanceof Error && 'stdout' in error ? String(error.stdout) : ''
    console.error(`✗ ${what}: ${error instanceof Error ? error.message : String(error)}\n${printed}`)
  }
}

const main = async (): Promise<void> => {
  installPrograms()
  if (options.schemas) return writeSchemas()
  await check('helm template without values is refused', () => {
    try {
      execFileSync(join(binDir, 'helm'), ['template', 'ars', chart, '--kube-version', kubernetesVersion], {
        stdio: 'pipe',
      })
    } catch (error) {
      if (String(error).includes('is required')) return
      throw error
    }
    throw new Error('it was rendered')
  })
  for (const file of valueFiles) {
    const name = file.slice(chart.length + 1)
    await check(`helm lint ${name}`, () =>
      run('helm', ['lint', '--strict', chart, '--values', file, '--kube-version', kubernetesVersion]),
    )
    await check(`kubeconform, kube-score, settings ${name}`, () => {
      const rendered = run('helm', [
        ...['template', 'ars', chart, '--values', file, '--kube-version', kubernetesVersion],
        ...['--namespace', 'agents'],
      ])
      run('kubeconform', ['-strict', '-schema-location', `${schemasDir}/{{ .ResourceKind }}.json`, '-'], rendered)
      // One process of each role is what the plain values are for.
      const lenient = name.includes('plain')
        ? ['deployment-replicas', 'pod-networkpolicy', 'deployment-has-poddisruptionbudget']
        : []
      const ignored = [...notScored, ...lenient].flatMap((test) => ['--ignore-test', test])
      run(
        'kube-score',
        ['score', '--ignore-container-cpu-limit', '--kubernetes-version', 'v1.33', ...ignored, '-'],
        rendered,
      )
      parseRenderedSettings(rendered)
    })
  }
  if (options['api-server']) await installOnApiServer()
}

/** Nothing schedules pods, so the Job of the hook would never end: hooks are not executed, but dry-run like everything else. */
const installOnApiServer = async (): Promise<void> => {
  const { kubeconfig, create, stop } = await startControlPlane()
  const helm = (...args: readonly string[]): string => run('helm', [...args, '--kubeconfig', kubeconfig])
  try {
    for (const [at, file] of valueFiles.entries()) {
      const name = file.slice(chart.length + 1)
      // The two kinds of the Prometheus operator do not exist here.
      const without = ['--set', 'serviceMonitor.enabled=false,prometheusRule.enabled=false']
      const target = ['ars', chart, '--values', file, '--namespace', `trial-${at}`, ...without]
      const named = ['ars', '--namespace', `trial-${at}`, '--no-hooks']
      await check(`helm install, upgrade, rollback, uninstall ${name}`, () => {
        helm('install', ...target, '--create-namespace', '--no-hooks')
        helm('upgrade', ...target, '--no-hooks', '--set', 'gateway.replicas=3,worker.replicas=3')
        helm('rollback', ...named, '1')
        helm('uninstall', ...named)
      })
      await check(`server-side dry run ${name}`, async () => {
        const objects = parseAllDocuments(helm('template', ...target, '--kube-version', kubernetesVersion)).map(
          (document) => document.toJS() as ApiObject | null,
        )
        for (const object of objects) if (object) await create(pathOf(object), object, 'All')
      })
    }
  } finally {
    await stop()
  }
}

type ApiObject = { apiVersion: string; kind: string; metadata: { namespace: string } }

const pathOf = ({ apiVersion, kind, metadata }: ApiObject): string => {
  const plural = `${kind.toLowerCase()}s`.replace(/ys$/, 'ies').replace(/sss$/, 'sses')
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  return `${group}/namespaces/${metadata.namespace}/${plural}`
}

await main()
