import { expect, test } from 'vitest'
import { draftOfRun, marked, requestOf } from './playground-input.ts'

const draft = { input: { a: 1 }, metadata: '', timeout: '' }

test('a request has what the person wrote', () => {
  const metadata = 'team = billing\n\nnote = a = b'
  expect(requestOf('ag_1', { ...draft, metadata, timeout: '30' })).toEqual({
    kind: 'ready',
    body: {
      agent_id: 'ag_1',
      input: { a: 1 },
      metadata: { team: 'billing', note: 'a = b' },
      timeout_seconds: 30,
    },
  })
  expect(requestOf('ag_1', draft)).toEqual({ kind: 'ready', body: { agent_id: 'ag_1', input: { a: 1 } } })
})

test('every run of the playground carries its mark, and an edited run does not show it', () => {
  const request = marked({ agent_id: 'ag_1', input: {}, metadata: { team: 'billing', note: 'a = b' } })
  expect(request.metadata).toEqual({ team: 'billing', note: 'a = b', ars_source: 'playground' })
  expect(draftOfRun({ input: { a: 1 }, metadata: request.metadata ?? {} })).toEqual({
    input: { a: 1 },
    metadata: 'team = billing\nnote = a = b',
    timeout: '',
  })
})

test('a draft that the service would refuse is refused at its field', () => {
  expect(requestOf('ag_1', { ...draft, input: [1] })).toMatchObject({ kind: 'wrong', field: 'input' })
  expect(requestOf('ag_1', { ...draft, input: undefined })).toMatchObject({ kind: 'wrong', field: 'input' })
  expect(requestOf('ag_1', { ...draft, metadata: 'billing' })).toMatchObject({ kind: 'wrong', field: 'metadata' })
  expect(requestOf('ag_1', { ...draft, timeout: '1.5' })).toMatchObject({ kind: 'wrong', field: 'timeout' })
})
