import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Config } from '@ars/core/config'
import { metricList } from '@ars/core/metric-list'
import { fileVariableName, variableName } from '@ars/platform/config'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../..')
const chart = join(root, 'deploy/helm/agent-run-service')
const read = (path: string): string => readFileSync(join(chart, path), 'utf8')
const templates = readdirSync(join(chart, 'templates')).map((name) => read(`templates/${name}`))
const all = templates.join('\n')
const values = parse(read('values.yaml')) as Values
const schema = JSON.parse(read('values.schema.json')) as Schema
const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema)
const valueFiles = readdirSync(join(chart, 'ci')).map((name) => [name, parse(read(`ci/${name}`)) as Values] as const)

type Values = { [name: string]: unknown }
type Schema = { type?: string; properties?: Record<string, Schema> }

const settings = new Map(
  Object.keys(Config.shape).flatMap((field) => {
    const file = fileVariableName(Config, field)
    return [[variableName(field), 'value'] as const, ...(file ? [[file, 'file'] as const] : [])]
  }),
)

describe('values of the Helm chart', () => {
  test('the defaults and every example pass the schema', () => {
    for (const [name, given] of [['values.yaml', values] as const, ...valueFiles])
      expect([name, validate(given), validate.errors]).toEqual([name, true, null])
  })

  test.for([
    ['an unknown value', { gateways: {} }],
    ['an unknown value below', { gateway: { replica: 3 } }],
    ['a setting that does not exist', { settings: { ARS_CELL_SLOT: '1' } }],
    ['a setting as a number, which Helm would print as 2.6e+08', { settings: { ARS_REQUEST_BYTES_MAX: 268_435_456 } }],
    ['a secret among the settings', { settings: { ARS_DATABASE_URL: 'postgres://…' } }],
    ['a setting that the chart sets', { settings: { ARS_WORKER_URL: 'http://elsewhere' } }],
    ['a plain public address', { publicUrl: 'http://agents.example.com' }],
    ['less time to stop than a graceful stop takes', { worker: { terminationGracePeriodSeconds: 30 } }],
  ] as const)('are refused: %s', ([, given]) => {
    expect(validate(given)).toBe(false)
  })

  test('have a default for everything that the schema names', () => {
    const missing = (node: Schema, given: unknown, path: string): string[] =>
      Object.entries(node.properties ?? {}).flatMap(([name, below]) => {
        const found = (given as Values | undefined)?.[name]
        const here = `${path}${name}`
        return found === undefined ? [here] : missing(below, found, `${here}.`)
      })
    expect(missing(schema, values, '')).toEqual(['global'])
  })

  test('are all used by a template', () => {
    const unused = Object.keys(values).filter((name) => !all.includes(`.${name}`))
    expect(unused).toEqual([])
    const used = [...all.matchAll(/\bValues\.([a-z]\w*)/g)].map(([, name = '']) => name)
    expect(used.filter((name) => !(name in values))).toEqual([])
  })
})

describe('templates of the Helm chart', () => {
  const named = [...new Set([...all.matchAll(/name: ((?:ARS|OTEL)_\w+)/g)].map(([, name = '']) => name))]

  test('name only settings that the server has', () => {
    expect(named.length).toBeGreaterThan(15)
    expect(named.filter((name) => !settings.has(name))).toEqual([])
  })

  test('give secrets as files only', () => {
    const secrets = Object.keys(Config.shape).filter((field) => fileVariableName(Config, field))
    expect(named.filter((name) => secrets.map(variableName).includes(name))).toEqual([])
    expect(all).not.toMatch(/secretKeyRef|secretRef|kind: Secret\b/)
  })

  test('give the role across organisations to workers and that of the owner to the migration only', () => {
    const worker = /eq \.role "worker" \}\}\n- \{ name: ARS_DATABASE_SYSTEM_URL_FILE/
    expect(all).toMatch(worker)
    const withOwner = readdirSync(join(chart, 'templates')).filter((name) =>
      read(`templates/${name}`).includes('OWNER'),
    )
    expect(withOwner).toEqual(['migrate.yaml'])
  })

  test('scale by metrics that the service has', () => {
    const scaling = `${read('templates/autoscaling.yaml')}${readFileSync(join(root, 'deploy/prometheus/adapter.yml'), 'utf8')}`
    const metrics = [...new Set(scaling.match(/\bars_\w+/g))]
    expect(metrics.toSorted()).toEqual(['ars_cell_slots_used', 'ars_event_loop_delay_p99_seconds', 'ars_streams_open'])
    expect(metrics.filter((name) => !(name in metricList))).toEqual([])
  })

  test('listen on the ports that the server has by default', () => {
    const ports = { ARS_HTTP_PORT: '8443', ARS_WORKER_PORT: '9080', ARS_METRICS_PORT: '9464' }
    const defaults = Config.pick({ httpPort: true, workerPort: true, metricsPort: true }).parse({})
    expect(Object.values(defaults).map(String).toSorted()).toEqual(Object.values(ports).toSorted())
    for (const port of Object.values(ports)) expect(all).toContain(port)
    expect(named.filter((name) => name in ports)).toEqual([])
  })

  test.for([
    'enableServiceLinks: false',
    'automountServiceAccountToken: false',
    'runAsNonRoot: true',
    'readOnlyRootFilesystem: true',
    'allowPrivilegeEscalation: false',
    'drop: [ALL]',
    'type: RuntimeDefault',
  ])('keep %s for every pod', (line) => {
    expect(read('templates/_pod.tpl')).toContain(line)
    for (const pod of ['templates/_role.tpl', 'templates/migrate.yaml']) {
      expect(read(pod)).toContain('include "ars.pod"')
      expect(read(pod)).toContain('include "ars.container"')
    }
  })

  test('wait longer than a graceful stop of the server takes', () => {
    const drain = /drain: \{ ms: ([\d_]+)/.exec(readFileSync(join(root, 'apps/server/src/bounds.ts'), 'utf8'))?.[1]
    const drainMs = Number(drain?.replaceAll('_', ''))
    const { gateway, worker } = values as Record<
      'gateway' | 'worker',
      { terminationGracePeriodSeconds: number; drainDelayMs: number }
    >
    expect(worker.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(drainMs + 10_000)
    expect(gateway.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(gateway.drainDelayMs + 40_000)
  })
})
