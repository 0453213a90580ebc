import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryDir } from '@ars/tools/dev/server'
import { expect, test } from 'vitest'
import { hasten, rulesFolder } from './prometheus.ts'
import { causedElsewhere, scenarios } from './scenarios.ts'

const rules = readFileSync(join(rulesFolder, 'rules.yml'), 'utf8')

test('every alert is caused by one scenario, or another proof causes it', () => {
  const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name)
  const known = [...scenarios.flatMap((scenario) => scenario.alerts), ...Object.keys(causedElsewhere)]
  expect(known.toSorted()).toEqual(alerts.toSorted())
})

test('the hastened rules wait for seconds and keep their thresholds', () => {
  const fast = hasten(rules)
  expect(fast).not.toMatch(/for: \d+[mh]|\[\d+m\]/)
  expect(fast).toContain('ars_outbox_lag_seconds) > 30')
})

test('the queries of the runbooks can be pasted: every label has a value', () => {
  const pages = join(repositoryDir, 'docs/runbooks')
  const incomplete = readdirSync(pages).flatMap((page) => {
    const text = readFileSync(join(pages, page), 'utf8')
    return [...text.matchAll(/\bars_\w+\{(?!\w+(=~|!=|=)")[^}]*\}/g)].map(([query]) => `${page}: ${query}`)
  })
  expect(incomplete).toEqual([])
})
