import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Config } from '@ars/core/config'
import { type MetricRow, metricList } from '@ars/core/metric-list'
import { variableName } from '@ars/platform/config'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { dashboards } from './dashboards.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

type Rule = { alert: string; expr: string; labels: { severity: string }; annotations: Record<string, string> }
type RuleTest = { name: string; input_series: { series: string }[]; alert_rule_test: { exp_alerts: unknown[] }[] }

const rules = (parse(read('deploy/prometheus/rules.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
)
const ruleTests = (parse(read('deploy/prometheus/rules.test.yml')) as { tests: RuleTest[] }).tests
const pages = readdirSync(join(root, 'docs/runbooks')).filter((name) => name !== 'README.md')
const runbook = (name: string): string => read(`docs/runbooks/${name}`)

const list: Readonly<Record<string, MetricRow>> = metricList

/** The metrics that a text names, without the suffixes of histograms. */
const metricsIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:ars|process|nodejs)_[a-z0-9_]+/g)].map(([name]) =>
    Object.hasOwn(list, name) ? name : name.replace(/_(bucket|sum|count)$/, ''),
  )

const unknownIn = (text: string): string[] => metricsIn(text).filter((name) => !Object.hasOwn(list, name))

test('every rule has a runbook, every runbook a rule, and the index lists all', () => {
  expect(rules.length).toBeGreaterThan(15)
  expect(pages.toSorted()).toEqual(rules.map(({ alert }) => `${alert}.md`).toSorted())
  for (const { alert, annotations, labels } of rules) {
    expect(annotations.runbook).toBe(`docs/runbooks/${alert}.md`)
    expect(['page', 'ticket']).toContain(labels.severity)
    expect(read('docs/runbooks/README.md')).toContain(`| [${alert}](${alert}.md) | ${labels.severity} |`)
    expect(runbook(`${alert}.md`).match(/^#+ .*/gm)).toEqual([
      `# ${alert}`,
      '## What to look at',
      '## What to do',
      '## It is over when',
    ])
  }
})

test('every rule has a case in which it is quiet first and fires then', () => {
  expect(ruleTests.map(({ name }) => name).toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted())
  for (const { alert_rule_test } of ruleTests)
    expect(alert_rule_test.map(({ exp_alerts }) => exp_alerts.length)).toEqual([0, 1])
})

test('every metric that a rule, a case, a dashboard or a runbook names exists', () => {
  const texts = [
    ...rules.map(({ expr }) => expr),
    ...ruleTests.flatMap(({ input_series }) => input_series.map(({ series }) => series)),
    ...dashboards.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(({ expr }) => expr))),
    ...pages.map(runbook),
  ]
  for (const text of texts) expect(unknownIn(text), text).toEqual([])
})

test('labels of rules and dashboards are labels of their metrics', () => {
  const exprs = [
    ...rules.map(({ expr }) => expr),
    ...dashboards.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(({ expr }) => expr))),
  ]
  for (const expr of exprs) {
    for (const [, name = '', selector = ''] of expr.matchAll(/\b((?:ars|process|nodejs)_[a-z0-9_]+)\{([^}]*)\}/g)) {
      const [metric = ''] = metricsIn(name)
      const used = [...selector.matchAll(/(\w+)=/g)].map(([, label]) => label)
      expect([...(list[metric]?.labels ?? []), 'instance'], expr).toEqual(expect.arrayContaining(used))
    }
    const made = [...expr.matchAll(/label_replace\(\w+, "(\w+)"/g)].map(([, label = '']) => label)
    const known = [
      ...metricsIn(expr).flatMap((metric) => list[metric]?.labels ?? []),
      ...made,
      'cell',
      'instance',
      'le',
    ]
    const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, by = '']) => by.split(/,\s*/))
    expect(known, expr).toEqual(expect.arrayContaining(grouped))
  }
})

test('every command, setting and log message that a runbook names exists', () => {
  const commands = [...read('apps/server/src/main.ts').matchAll(/^ {2}'?([a-z][a-z -]*)'?: ?(?:\{|\w+,)/gm)].map(
    ([, name]) => name,
  )
  const settings = Object.keys(Config.shape).map(variableName)
  const sources = sourcesIn('apps/server/src') + sourcesIn('packages/core/src') + sourcesIn('packages/platform/src')
  for (const page of pages) {
    const quoted = [...runbook(page).matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)
    for (const text of quoted) {
      const [, command] = /^ars-server ([a-z]+(?: [a-z][a-z-]*)?)/.exec(text) ?? []
      if (command !== undefined) expect(commands, `${page}: ${text}`).toContain(command)
      if (/^ARS_[A-Z_]+$/.test(text)) expect(settings, page).toContain(text)
      // A phrase of lower-case words is a message of the log.
      if (/^[a-z]+( [a-z]+)+$/.test(text)) expect(sources.includes(text), `${page}: ${text}`).toBe(true)
    }
  }
})

const sourcesIn = (folder: string): string =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => read(join(folder, path)))
    .join('\n')
