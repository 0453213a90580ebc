import { createEgress } from '@ars/platform/egress/egress'
import { expect, test } from 'vitest'
import { problemsOfExpression, problemsOfUrl } from './rule-problems.service.ts'

test('the problems of an expression are sentences with their place', async () => {
  const check = async () => [{ message: 'There is no field nme', position: 4 }]
  expect(await problemsOfExpression({ expressions: { check } }, 'org', 'tool.nme')).toEqual([
    'There is no field nme (at character 5)',
  ])
})

test('the address of a rule follows the rules of webhooks', async () => {
  const egress = createEgress({ resolver: async () => ['93.184.215.14'] })
  const problemsOf = (url: string) => problemsOfUrl({ egress, ownUrl: new URL('https://ars.example.com') }, url)
  expect(await problemsOf('https://guard.example.com/v1')).toEqual([])
  for (const url of [
    'http://guard.example.com',
    'https://127.0.0.1',
    'https://localhost',
    'https://user:pass@guard.example.com',
    'https://ars.example.com/v1',
    'https://guard.example.com/?a=1',
    'https://guard.example.com/#a',
    'nonsense',
  ])
    expect(await problemsOf(url)).toHaveLength(1)
  egress.close()
})
