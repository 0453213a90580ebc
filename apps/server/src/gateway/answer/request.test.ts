import { contract, type Operation } from '@ars/contract'
import { Fault } from '@ars/core/fault'
import { expect, test } from 'vitest'
import { parseInput } from './request.ts'

const { list } = contract.runs
const plain = contract.agents.list

const read = (what: Operation, query: Record<string, unknown>) =>
  parseInput(what, { params: {}, query: Object.assign(Object.create(null), query), body: undefined })

const refusalOf = (what: Operation, query: Record<string, unknown>): Fault => {
  try {
    read(what, query)
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
  throw new Error('nothing was refused')
}

test('metadata[key]=value in a query becomes the field metadata if the operation has one', () => {
  expect(read(list, { 'metadata[ticket]': '7', 'metadata[a b[0]]': '', 'metadata[$ne]': 'x' })).toEqual({
    metadata: { ticket: '7', 'a b[0]': '', $ne: 'x' },
  })
  expect(read(list, { status: 'failed,queued' })).toEqual({ status: ['failed', 'queued'] })
})

test.each([
  ['of an operation without metadata', plain, { 'metadata[k]': 'v' }, 'metadata[k]'],
  ['without a key', list, { 'metadata[]': 'v' }, 'metadata[]'],
  ['with keys inside keys', list, { 'metadata[a][b]': 'v' }, 'metadata[a][b]'],
  ['with a key that objects lose', list, { 'metadata[__proto__]': 'v' }, 'metadata[__proto__]'],
  ['as a text', list, { metadata: 'v' }, 'metadata'],
  ['as a text and by key', list, { metadata: 'v', 'metadata[k]': 'v' }, 'metadata'],
  ['given twice', list, { 'metadata[k]': ['v', 'w'] }, 'metadata[k]'],
  ['with NUL', list, { 'metadata[k]': 'a\0b' }, 'metadata[k]'],
  ['with NUL in its key', list, { 'metadata[a\0b]': 'v' }, 'metadata[a\0b]'],
])('metadata %s is rejected by name', (_what, operationRow, query, param) => {
  const { code, param: named } = refusalOf(operationRow, query)
  expect([code, named]).toEqual(['invalid_request', param])
})

test('a query parameter that is sent twice is rejected with a message', () => {
  expect(refusalOf(plain, { status: ['a', 'b'] }).message).toBe('status must be sent only once.')
})

test('a refusal lists at most a hundred faults and truncates long names', () => {
  const query = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`${'x'.repeat(1_000)}${at}`, 'y']))
  const { details, param } = refusalOf(plain, query)
  expect(details).toHaveLength(100)
  expect(param?.length).toBeLessThan(250)
})
