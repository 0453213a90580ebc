import { expect, test } from 'vitest'
import { readSharedLink } from './shared-link.ts'

const runId = 'run_01kf3xw0fqe1vrr9m8sdv2wbx4'
const token = `ars_share_${'x'.repeat(38)}`
const read = (fragment: string) => readSharedLink(new URLSearchParams(fragment))

test('a link has a run and a token, in any order', () => {
  expect(read(`run=${runId}&token=${token}`)).toEqual({ runId, token })
  expect(read(`token=${token}&run=${runId}&more=1`)).toEqual({ runId, token })
})

test.each([
  ['nothing', ''],
  ['no token', `run=${runId}`],
  ['no run', `token=${token}`],
  ['a part of the token', `run=${runId}&token=${token.slice(0, -1)}`],
  ['another credential', `run=${runId}&token=ars_live_${'x'.repeat(38)}`],
  ['a path instead of an id', `run=../agents&token=${token}`],
])('%s is no link', (_, fragment) => {
  expect(read(fragment)).toBeNull()
})
