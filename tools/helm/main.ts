import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { binDir, installPrograms, kubernetesVersion, type Program } from './install.ts'
import { schemasDir, writeSchemas } from './schemas.ts'
import { parseRenderedSettings } from './settings.ts'

// pnpm helm                lint, templates of every value file, kubeconform -strict, kube-score, settings as the server parses them
// pnpm helm --schemas      derives the schemas for kubeconform from the sources of Kubernetes

const { values: options } = parseArgs({
  options: {
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
}

await main()
