import { expect, test } from 'vitest'
import { describe as describeCommand } from '../src/describe.ts'
import { commandOf, operations } from '../src/operation.ts'
import { createProgram } from '../src/program.ts'

test('every operation of the API has a command', () => {
  const paths = new Set<string>()
  const visit = (command: ReturnType<typeof describeCommand>): void => {
    paths.add(command.path.join(' '))
    for (const child of command.commands) visit(child)
  }
  visit(describeCommand(createProgram()))
  expect(operations.length).toBeGreaterThan(70)
  expect(operations.filter((operation) => !paths.has(commandOf(operation))).map(({ id }) => id)).toEqual([])
  // Only what needs the cookie of a browser is left to `ars api`.
  const byApi = operations.filter((operation) => commandOf(operation) === 'api')
  expect(byApi.every(({ isForBrowsers }) => isForBrowsers)).toBe(true)
})
