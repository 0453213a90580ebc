import { expect, test } from 'vitest'
import { requestOf } from './playground-input.ts'

const draft = { input: { a: 1 }, metadata: '', timeout: '' }

test('every run of the playground carries its mark', () => {
  expect(requestOf('ag_1', { ...draft, metadata: 'team = billing\n\nnote = a = b', timeout: '30' })).toEqual({
    kind: 'ready',
    body: {
      agent_id: 'ag_1',
      input: { a: 1 },
      metadata: { team: 'billing', note: 'a = b', ars_source: 'playground' },
      timeout_seconds: 30,
    },
  })
})

test('a draft that the service would refuse is refused at its field', () => {
  expect(requestOf('ag_1', { ...draft, input: [1] })).toMatchObject({ kind: 'wrong', field: 'input' })
  expect(requestOf('ag_1', { ...draft, input: undefined })).toMatchObject({ kind: 'wrong', field: 'input' })
  expect(requestOf('ag_1', { ...draft, metadata: 'billing' })).toMatchObject({ kind: 'wrong', field: 'metadata' })
  expect(requestOf('ag_1', { ...draft, timeout: '1.5' })).toMatchObject({ kind: 'wrong', field: 'timeout' })
})
