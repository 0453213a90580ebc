import fc from 'fast-check'
import { expect, test } from 'vitest'
import { paramsOfSearch, parseMetadata, printMetadata, withStatus } from './run-filters.ts'

const key = fc.string({ minLength: 1, maxLength: 40 }).filter((text) => text !== '__proto__')

test('metadata in the address is read as it was written', () => {
  fc.assert(
    fc.property(fc.dictionary(key, fc.string(), { maxKeys: 10, noNullPrototype: true }), (pairs) => {
      // Half of a surrogate pair cannot be written in an address.
      fc.pre(
        JSON.stringify(pairs).isWellFormed() &&
          Object.entries(pairs)
            .flat()
            .every((text) => text.isWellFormed()),
      )
      expect(parseMetadata(printMetadata(pairs))).toEqual(pairs)
    }),
  )
})

test('a relative range becomes absolute at the request', () => {
  const nowMs = Date.parse('2026-02-03T12:00:00Z')
  expect(paramsOfSearch({ created_after: '-24h' }, nowMs)).toEqual({
    view: 'summary',
    created_after: '2026-02-02T12:00:00.000Z',
  })
})

test('every filter reaches the request, and unknown values are dropped', () => {
  const search = { status: 'failed,running,odd', agent_id: 'ag_1', metadata: 'customer=42', error_code: 'tool_error' }
  expect(paramsOfSearch({ ...search, created_by: 'usr_1' }, 0)).toEqual({
    view: 'summary',
    status: ['running', 'failed'],
    agent_id: 'ag_1',
    metadata: { customer: '42' },
    error_code: 'tool_error',
    created_by: 'usr_1',
  })
  expect(paramsOfSearch({ error_code: 'odd', status: 'odd', metadata: '' }, 0)).toEqual({ view: 'summary' })
})

test('a chip adds its status and takes it away', () => {
  expect(withStatus({}, 'failed')).toBe('failed')
  expect(withStatus({ status: 'failed' }, 'running')).toBe('running,failed')
  expect(withStatus({ status: 'failed' }, 'failed')).toBeUndefined()
})
