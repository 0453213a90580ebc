import { expect, test } from 'vitest'
import { agentNames } from './agent-name.ts'
import { cliBounds } from './bounds.ts'
import { describeAttempt } from './commands/delivery-view.ts'
import { type Failure, printFailure } from './failure.ts'
import { problemText } from './pipeline-file.ts'
import { columnsOf, describeRecord } from './record-view.ts'
import { withAgentIds } from './step-agents.ts'
import { oneLine } from './text.ts'
import { findIdByName } from './thing-name.ts'

const long = 'x'.repeat(10_000)
/** The longest piece of the text that was cut. */
const shown = (text: string): number => Math.max(...(text.match(/x+…?/g) ?? ['']).map(({ length }) => length))

test('texts of the service are cut to their rows', () => {
  expect(oneLine(long)).toHaveLength(cliBounds.line.chars)
  expect(shown(describeRecord({ name: long }))).toBe(cliBounds.cell.chars)
  const failure: Failure = {
    ...{ code: 'input_invalid', message: long, advice: null, requestId: null, docUrl: null, exitCode: 1 },
    details: [long],
  }
  const [first = '', second = ''] = printFailure(failure, { isJson: false }).split('\n')
  expect([shown(first), shown(second)]).toEqual([cliBounds.faultLine.chars, cliBounds.detailLine.chars])
})

test('a table has as many columns as fit, and its cells are cut', () => {
  const item = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`field_${n}`, long]))
  const columns = columnsOf([item])
  expect(Object.keys(columns)).toHaveLength(cliBounds.tableColumns.count)
  expect(columns['FIELD 0']?.(item)).toHaveLength(cliBounds.tableCell.chars)
})

test('of a long line of a file the part around the problem is shown', () => {
  const source = `${'a'.repeat(500)}x${'b'.repeat(500)}`
  const text = problemText(
    { file: 'f.yaml', placeOf: () => ({ line: 1, column: 501, source }) },
    { param: 'definition', message: 'wrong', position: null },
  )
  const [, line = '', mark = ''] = text.split('\n')
  expect(line).toHaveLength(cliBounds.sourceLine.chars)
  expect(line.indexOf('x')).toBe(cliBounds.sourceLineBefore.chars)
  expect(mark).toHaveLength(cliBounds.sourceLineBefore.chars + 1)
})

test('of many things with one name a few ids are named', async () => {
  const things = Array.from({ length: 30 }, (_, n) => ({ id: `ag_${n}`, name: 'same', catalog_key: null }))
  const { problems } = withAgentIds({ steps: [{ agent_id: 'same' }] }, things as never)
  expect(problems[0]?.message.match(/ag_\d+/g)).toHaveLength(cliBounds.idsTold.count)
  const kind = { prefix: 'ag', noun: 'agent', list: 'ars agents list' }
  const found = findIdByName(kind, 'same', async function* () {
    yield* things
  })
  const { advice } = (await found.catch((error: unknown) => error)) as { advice: string }
  expect(advice.match(/ag_\d+/g)).toHaveLength(cliBounds.idsTold.count)
})

test('the words of an attempt are cut to cliBounds.attemptLine', () => {
  const terminal = { paint: (_: string, text: string) => text } as never
  const attempt = {
    number: 1,
    at: '2026-01-15T09:30:00Z',
    http_status: 500,
    duration_ms: 12,
    error: long,
    response: null,
  }
  expect(shown(describeAttempt(terminal, attempt as never))).toBe(cliBounds.attemptLine.chars)
})

test('names are looked up in pages of cliBounds.page, and names of agents in one page', async () => {
  const { count } = cliBounds.page
  const asked: { limit?: number }[] = []
  const endless = async function* (page: { limit?: number }) {
    asked.push(page)
    for (let n = 0; ; n++) yield { id: `ag_${n}`, name: `name ${n}` }
  }
  const client = { agents: { list: endless } } as never
  const { signal } = new AbortController()
  const names = await agentNames(client, [{ agent_id: 'ag_x' }], signal)
  expect([names.size, asked[0]?.limit]).toEqual([count, count])
})
