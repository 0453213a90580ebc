import { type Operation, type Scope, scopes } from '@ars/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeKey } from './credentials.ts'
import { readRows } from './operations.ts'
import { newId } from './people.ts'
import { inputFor, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld([])
})
afterAll(() => world?.stop())

// T11: deny by default.
describe('a key with one scope', () => {
  const scoped = readRows().filter(({ isScoped, needsPerson }) => isScoped && !needsPerson)
  test.each(scopes.map((scope) => ({ scope })))(
    '[S53] $scope permits its own operations and nothing else',
    async ({ scope }) => {
      const { key } = await makeKey(world.app, world.mine, { scopes: [scope] })
      const opened: string[] = []
      const seen = new Set<string>()
      for (const row of scoped) {
        // Of the operations with one scope the first stands for all: the scope is all that refuses the key.
        const isFirst = !seen.has(row.operation.scope)
        seen.add(row.operation.scope)
        if (!isFirst && !mayOpen(row.operation, scope)) continue
        // With an unknown field, so that an admitted caller gets an error and changes nothing.
        const input = await inputFor(row, (prefix) => Promise.resolve(newId(prefix)))
        const answer = await world.call(row, { key }, { ...input, nonsense: 'x' })
        const { code, message } = answer.body.error
        if (code === 'invalid_request') opened.push(row.name)
        else expect([code, message]).toEqual(['forbidden', `This key lacks the scope ${row.operation.scope}.`])
      }
      expect(opened).toEqual(scoped.filter(({ operation }) => mayOpen(operation, scope)).map(({ name }) => name))
    },
  )
})

/** Whether some input of the operation needs no other scope than this one. */
const mayOpen = ({ scope: own, conditionalScopes = [] }: Operation, scope: Scope): boolean =>
  own === scope || conditionalScopes.some((other) => other.instead && other.scope === scope)
