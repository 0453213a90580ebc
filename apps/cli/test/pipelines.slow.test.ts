import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../../server/test/app.ts'
import { type Home, makeHome } from './ars.slow.ts'

// Pipelines, schedules and batches share a stack: starting one takes longer than their tests.

let app: App
let ars: Home

beforeAll(async () => {
  app = await startApp()
  ars = makeHome({ url: app.url, key: app.tenant.key })
})

afterAll(async () => {
  ars?.remove()
  await app?.stop()
})

const run = async (...words: string[]) => {
  const done = await ars.run(words)
  expect(done.code, done.stderr).toBe(0)
  return done
}

const write = (name: string, text: string): string => {
  const file = join(ars.folder, name)
  writeFileSync(file, text)
  return file
}

const greetings = (seconds: number) => `name: Greetings
description: Greets several people.
definition:
  steps:
    - key: greet
      agent_id: test-echo
      for_each: input.names
      timeout_seconds: ${seconds}
      input: { query: 'Hello \${{ item }}' }
    - key: sum
      agent_id: test-echo
      depends_on: [greet]
      input: { query: 'Sum: \${{ steps.greet.output }}' }
  output: { greetings: '\${{ steps.greet.output.map(each, each.result) }}' }
`

test('a pipeline equals its file after apply, a second apply changes nothing, and a change is shown', async () => {
  const file = write('greetings.yaml', greetings(60))
  expect((await run('pipelines', 'apply', '-f', file, '--check')).stdout).toBe(`${file} can be saved.\n`)
  const made = await run('pipelines', 'apply', '-f', file)
  expect(made.stdout).toMatch(/^Greetings \(pl_\w+\) was created: version 1\.\n$/)
  const again = await run('pipelines', 'apply', '-f', file)
  expect(again.stdout).toMatch(/^Greetings \(pl_\w+\) is unchanged: version 1\.\n$/)
  const piped = await ars.run(['pipelines', 'apply', '-f', '-'], { stdin: greetings(90) })
  expect([piped.code, piped.stdout]).toEqual([0, expect.stringContaining('was changed: version 2, before 1.')])
  expect(piped.stdout).toContain('definition.steps.greet.timeout_seconds: 60 → 90')
  const listed = await run('pipelines', 'list')
  expect(listed.stdout).toMatch(/pl_\w+ +Greetings +2 +2 /)
  expect((await run('pipelines', 'get', 'Greetings', '--json')).json).toMatchObject({ version: 2 })
})

test('each problem of a file is shown at its line, with its path and a mark', async () => {
  const file = write(
    'wrong.yaml',
    greetings(60)
      .replace('depends_on: [greet]', 'depends_on: [great]')
      .replace('{{ steps.greet.output }}', '{{ stepz.greet.output }}'),
  )
  const checked = await ars.run(['pipelines', 'apply', '-f', file, '--check'])
  expect([checked.code, checked.stdout]).toEqual([1, ''])
  expect(checked.stderr).toContain(`Error: ${file} has 2 problems`)
  expect(checked.stderr).toContain(`${file}:12:20: definition.steps.1.depends_on.0: names no step: great`)
  expect(checked.stderr).toMatch(/:13:\d+: definition\.steps\.1\.input\.query: .*\n.*stepz\.greet.*\n +\^\n/)
  const json = await ars.run(['pipelines', 'apply', '-f', file, '--check', '--json'])
  expect(json.code).toBe(1)
  expect(json.json.problems[0]).toMatchObject({ param: 'definition.steps.1.depends_on.0', line: 12, column: 20 })
  const unknown = write('unknown.yaml', greetings(60).replace('agent_id: test-echo', 'agent_id: nobody'))
  const refused = await ars.run(['pipelines', 'apply', '-f', unknown])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`${unknown}:6:17`)])
  expect(refused.stderr).toContain('ars agents hire')
  const misspelt = write('misspelt.yaml', greetings(60).replace('for_each', 'foreach'))
  const malformed = await ars.run(['pipelines', 'apply', '-f', misspelt, '--check'])
  expect([malformed.code, malformed.stderr]).toEqual([1, expect.stringContaining(`${misspelt}:`)])
  expect((await ars.run(['pipelines', 'apply', '-f', join(ars.folder, 'none.yaml')])).code).toBe(2)
})

test('a pipeline is started by its name, followed to its end, and its output goes to stdout', async () => {
  await run('pipelines', 'apply', '-f', write('greetings.yaml', greetings(60)))
  const input = '{"names":["Ada","Grace"]}'
  const followed = await run('pipelines', 'run', 'Greetings', '--input', input, '--follow')
  expect(JSON.parse(followed.stdout)).toEqual({ greetings: ['Hello Ada', 'Hello Grace'] })
  expect(followed.stderr).toMatch(/· greet {2}completed {2}2 of 2 items/)
  expect(followed.stderr).toMatch(/plr_\w+ completed/)
  const waited = await run('pipelines', 'run', 'Greetings', '--input', input, '--wait', '--json')
  expect(waited.json).toMatchObject({ status: 'completed', output: { greetings: ['Hello Ada', 'Hello Grace'] } })
  const { json: started } = await run('pipelines', 'run', 'Greetings', '--input', input, '--json')
  expect((await run('pipeline-runs', 'watch', started.id, '--json')).stdout.trim().split('\n').at(-1)).toContain(
    'pipeline_run.completed',
  )
  const shown = await run('pipeline-runs', 'get', started.id)
  expect(shown.stdout).toMatch(/greet +completed +2\/2/)
  expect((await run('pipeline-runs', 'list', '--pipeline', 'Greetings')).stdout).toContain(started.id)
  expect((await run('pipeline-runs', 'items', started.id, 'greet', '--json')).json.data).toHaveLength(2)
  const { json: rerun } = await run('pipeline-runs', 'rerun', started.id, '--from-step', 'sum', '--wait', '--json')
  expect(rerun).toMatchObject({ status: 'completed', rerun_of: started.id, from_step: 'sum' })
  expect((await run('pipeline-runs', 'erase', started.id, '--json')).json.erased_at).not.toBeNull()
})

test('the approval chain of the catalog runs after its agents are hired, and waits for a person', async () => {
  const file = join(import.meta.dirname, '../../../catalog/pipelines/approval-chain.yaml')
  await run('agents', 'hire', 'release-notes')
  const applied = await run('pipelines', 'apply', '-f', file, '--json')
  expect(applied.json).toMatchObject({ change: 'create', version: 1, name: 'Approval chain' })
  expect(readFileSync(file, 'utf8')).toContain('agent_id: release-notes')
  const input = '{"product":"Harbour","version":"2.4.0","is_breaking":false,"changes":[{"text":"Filter by date."}]}'
  const waiting = await ars.run(['pipelines', 'run', 'Approval chain', '--input', input, '--wait'])
  expect([waiting.code, waiting.stdout], waiting.stderr).toEqual([6, ''])
  const [, id = '', action = ''] =
    /ars pipeline-runs act (plr_\w+) approve --action (\w+) --payload/.exec(waiting.stderr) ?? []
  expect(action).toBe('editor')
  const wrong = await ars.run(['pipeline-runs', 'act', id, 'approve', '--payload', '{}'])
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('payload_invalid')])
  await run('pipeline-runs', 'act', id, 'approve', '--payload', '{"title":"Harbour 2.4"}', '--comment', 'fine')
  const done = await run('pipeline-runs', 'watch', id)
  expect(JSON.parse(done.stdout)).toMatchObject({ title: 'Harbour 2.4', comment: 'fine' })
  expect(done.stderr).toMatch(/owner {2}skipped/)
  const { json: second } = await run('pipelines', 'run', 'Approval chain', '--input', input, '--json')
  expect((await run('pipeline-runs', 'cancel', second.id)).stdout).toMatch(/is cancell(ing|ed)\./)
  const watched = await ars.run(['pipeline-runs', 'watch', second.id])
  expect([watched.code, watched.stderr]).toEqual([1, expect.stringMatching(/plr_\w+ cancelled/)])
})

test('a schedule is created with friendly options, shows its dates, fires now, and is paused and resumed', async () => {
  const timing = ['--cron', '30 8 * * 1-5', '--time-zone', 'Europe/Berlin']
  const input = ['--input', '{"query":"Good morning"}']
  const made = await run('schedules', 'create', 'Morning', '--agent', 'test-echo', ...timing, ...input)
  expect(made.stdout).toMatch(/timing +30 8 \* \* 1-5 Europe\/Berlin/)
  expect(made.stdout.split('Next dates (local time)')[1]?.trim().split('\n')).toHaveLength(5)
  await run('schedules', 'create', 'Often', '--agent', 'test-echo', '--every', '15m', '--overlap', 'queue')
  expect((await run('schedules', 'get', 'Often', '--json')).json).toMatchObject({ interval_seconds: 900 })
  expect((await run('schedules', 'list')).stdout).toMatch(/every 15 min .*Often/)
  expect((await run('schedules', 'list')).stdout).toMatch(/sch_\w+ +active +\d{4}-\d\d-\d\d .*Morning/)
  const both = ['schedules', 'create', 'Both', '--agent', 'test-echo', '--every', '15m', '--cron', '* * * * *']
  expect(await ars.run(both)).toMatchObject({ code: 2, stderr: expect.stringContaining('--cron, --every, --at') })
  expect((await ars.run(['schedules', 'create', 'Odd', '--agent', 'test-echo', '--every', 'soon'])).code).toBe(2)

  expect((await run('schedules', 'pause', 'Morning')).stdout).toMatch(/is paused\.\n$/)
  expect((await run('schedules', 'resume', 'Morning')).stdout).toMatch(/is active\. Its next date is/)
  const { json: firing } = await run('schedules', 'run', 'Morning', '--json')
  expect(firing).toMatchObject({ kind: 'request' })
  const firings = async () => (await run('schedules', 'firings', 'Morning', '--json')).json.data
  await expect
    .poll(firings, { timeout: 60_000, interval: 1_000 })
    .toEqual([expect.objectContaining({ id: firing.id, status: 'started', run_id: expect.stringMatching(/^run_/) })])
  expect((await run('schedules', 'firings', 'Morning')).stdout).toMatch(/request +started +run_/)
  expect((await run('schedules', 'delete', 'Morning', '--json')).json.id).toBe(firing.schedule_id)
})

test('a batch is created from JSON Lines, watched to its end, and its results are downloaded to a file', async () => {
  const lines = ['one', 'two', 'three'].map((query) => JSON.stringify({ query })).join('\n')
  const items = write('items.jsonl', `${lines}\n`)
  const watched = await run('batches', 'create', 'test-echo', '-f', items, '--watch')
  expect(watched.stdout).toMatch(/^bat_\w+ completed {2}3 items: 3 completed, 0 failed, 0 cancelled\n$/)
  const id = /bat_\w+/.exec(watched.stdout)?.[0] ?? ''
  expect((await run('batches', 'list')).stdout).toMatch(new RegExp(`${id} .*3/3`))
  expect((await run('batches', 'results', id)).stdout).toMatch(/2 +completed +run_\w+ +\{"result":"three"\}/)
  const out = join(ars.folder, 'results.jsonl')
  expect((await run('batches', 'export', id, '--out', out)).stderr).toBe(`3 results in ${out}.\n`)
  const saved = readFileSync(out, 'utf8')
  expect(
    saved
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).output.result),
  ).toEqual(['one', 'two', 'three'])
  expect((await run('batches', 'export', id)).stdout).toBe(saved)
  expect((await ars.run(['batches', 'export', 'bat_01kf3xw0fqe1vrr9m8sdv2wbx4', '-o', out])).code).toBe(4)
  expect(readFileSync(out, 'utf8')).toBe(saved)

  const failing = await ars.run(['batches', 'create', 'test-fail', '-f', '-', '--watch', '--json'], {
    stdin: '[{"query":"a"}]',
  })
  expect(failing.code).toBe(1)
  const slow = write('slow.json', JSON.stringify([{ seconds: 600 }]))
  const { json: long } = await run('batches', 'create', 'test-slow', '-f', slow, '--json')
  await run('batches', 'cancel', long.id)
  const cancelled = await ars.run(['batches', 'watch', long.id])
  expect([cancelled.code, cancelled.stdout]).toEqual([1, expect.stringContaining('cancelled  1 items')])
  const wrong = await ars.run(['batches', 'create', 'test-echo', '-f', '-'], { stdin: '{"query":"a"}\n{query}\n' })
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('stdin:2 is not JSON')])
})
