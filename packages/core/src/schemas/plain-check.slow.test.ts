import { limits } from '@ars/contract'
import { expect, test } from 'vitest'
import { schemasBounds } from './bounds.ts'
import { checkPlain } from './plain-check.ts'
import { findPlain, isWithinPlainSteps } from './plain-schema.ts'

type Schema = Record<string, unknown>

test('the steps of a check stay below the bound for the worst schemas and values', () => {
  const empty = { type: 'object' }
  const worst: { schema: Schema; grow(size: number): unknown }[] = [
    // Every item fails every alternative.
    { schema: { items: { anyOf: listOf(200, (at) => ({ const: at + 1 })) } }, grow: (size) => listOf(size, () => 0) },
    { schema: { items: { required: listOf(400, (at) => `r${at}`) } }, grow: (size) => listOf(size, () => ({})) },
    {
      schema: { items: { enum: listOf(900, (at) => `${'x'.repeat(20)}${at}`) } },
      grow: (size) => listOf(size, () => 'x'.repeat(23)),
    },
    {
      schema: { additionalProperties: { allOf: listOf(400, () => empty) } },
      grow: (size) => Object.fromEntries(listOf(size, (at) => [`k${at}`, 0])),
    },
    { schema: { maxLength: 1 }, grow: (size) => '😀'.repeat(size * 20) },
    {
      schema: { items: { anyOf: listOf(60, () => ({ items: { anyOf: listOf(4, () => ({ maxLength: 0 })) } })) } },
      grow: (size) => listOf(Math.ceil(size / 10), () => listOf(10, () => 'aa')),
    },
  ]
  const body = JSON.stringify(listOf(Math.floor(limits.bodyBytes / 3), () => ({})))
  for (const { schema, grow } of worst) {
    const plain = findPlain(schema)
    if (!plain) throw new Error('The schema should be plain')
    let size = 1
    while (isWithinPlainSteps(plain, grow(size + Math.ceil(size / 4)))) size += Math.ceil(size / 4)
    const value = grow(size)
    expect(isWithinPlainSteps(plain, grow(2 * size + 2))).toBe(false)
    // The check of the largest value that stays on the event loop costs less than parsing the largest request body.
    const isCheaper = isFaster(
      () => checkPlain(plain, value),
      () => JSON.parse(body),
    )
    expect({ schema: JSON.stringify(schema).slice(0, 40), isCheaper }).toMatchObject({ isCheaper: true })
    // A value of any size is recognised as too large in less time than parsing it took.
    const largest = grow(schemasBounds.plainSteps.count * 5)
    const text = JSON.stringify(largest)
    expect(
      isFaster(
        () => isWithinPlainSteps(plain, largest),
        () => JSON.parse(text),
      ),
    ).toBe(true)
  }
})

const listOf = <Item>(length: number, make: (at: number) => Item): Item[] => Array.from({ length }, (_, at) => make(at))

/** The fastest of several rounds: other work on the machine only makes rounds slower. */
/** Measured anew a few times: other programs on the machine may delay either of the two. */
const isFaster = (one: () => unknown, other: () => unknown): boolean =>
  listOf(5, () => 0).some(() => fastest(one) < fastest(other))

const fastest = (work: () => unknown): number => {
  const rounds = listOf(9, () => {
    const began = performance.now()
    work()
    return performance.now() - began
  })
  return Math.min(...rounds)
}
