import { expect, test } from 'vitest'
import { AgentId, RunId } from './ids.ts'

const body = '01kf3xw0fqe1vrr9m8sdv2wbx4'

test.each([
  ['the smallest', `run_${'0'.repeat(26)}`],
  ['the greatest', `run_7${'z'.repeat(25)}`],
  ['an ordinary one', `run_${body}`],
])('%s is an id of a run', (_, id) => {
  expect(RunId.safeParse(id).success).toBe(true)
})

test.each([
  ['another prefix', `ag_${body}`],
  ['no prefix', body],
  ['a prefix in capitals', `RUN_${body}`],
  ['a dash for the underscore', `run-${body}`],
  ['capitals', `run_${body.toUpperCase()}`],
  ['one character too few', `run_${body.slice(1)}`],
  ['one character too many', `run_${body}0`],
  ['more than 128 bits', `run_8${body.slice(1)}`],
  ['the letter i', `run_${body.slice(0, -1)}i`],
  ['the letter l', `run_${body.slice(0, -1)}l`],
  ['the letter o', `run_${body.slice(0, -1)}o`],
  ['the letter u', `run_${body.slice(0, -1)}u`],
  ['a line break at the end', `run_${body}\n`],
  ['a space before it', ` run_${body}`],
  ['a path that climbs', `run_../../${body.slice(6)}`],
  ['nothing', ''],
  ['a number', 7],
  ['null', null],
])('%s is not an id of a run', (_, id) => {
  expect(RunId.safeParse(id).success).toBe(false)
})

test('the message names the resource and its prefix', () => {
  expect(AgentId.safeParse('nonsense').error?.issues[0]?.message).toBe('must be the id of an agent, ag_…')
})
