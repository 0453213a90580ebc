import { expect, test } from 'vitest'
import { attachmentWords } from './attachment-words.ts'

test('where a policy works, in words', () => {
  const of = (...types: readonly string[]) => attachmentWords(types.map((subject_type) => ({ subject_type })))
  expect([of(), of('organisation'), of('agent'), of('api_key', 'agent', 'organisation', 'agent')]).toEqual([
    'Nothing',
    'Organisation',
    '1 agent',
    'Organisation, 2 agents and 1 API key',
  ])
})
