import { expect, test } from 'vitest'
import { seededRandom } from '../lab/random.ts'
import { chainModel, dagModel, fanOut, modelInput } from './pipeline-model.ts'

const agentOf = (name: string): string => `ag_${name}`

test('a graph has 30 steps, of which one is a fan-out of 20, and the same seed gives the same graph', () => {
  const model = dagModel(seededRandom('a'), 'echo')
  expect(model.steps).toHaveLength(30)
  expect(model.steps.filter(({ isForEach }) => isForEach)).toHaveLength(1)
  expect(model.definition(agentOf)).toEqual(dagModel(seededRandom('a'), 'echo').definition(agentOf))
  expect(model.definition(agentOf)).not.toEqual(dagModel(seededRandom('b'), 'echo').definition(agentOf))
})

test('the expected runs are one for each item, and none for a step whose condition is false', () => {
  const random = seededRandom('a')
  const model = dagModel(random, 'steps')
  const inputs = Array.from({ length: 50 }, () => modelInput(random))
  const counts = inputs.map((input) => [...model.expect(input).runs.values()].map(({ length }) => length))
  for (const each of counts) {
    expect(each.filter((length) => length === fanOut)).toHaveLength(1)
    expect(each.slice(0, 28).every((length) => length >= 1)).toBe(true)
  }
  expect(new Set(counts.flatMap((each) => each.slice(28)))).toEqual(new Set([0, 1]))
})

test('the number of a step follows from those before it', () => {
  const model = chainModel(seededRandom('a'))
  const [first, second, third] = model.steps
  const { output, runs } = model.expect({ seed: 5, items: [] })
  const a = ((first?.addend ?? 0) + 5) % 9973
  const b = ((second?.addend ?? 0) + 5 + (second?.terms[0]?.weight ?? 0) * a) % 9973
  const c = 1 + ((((third?.addend ?? 0) + 5 + (third?.terms[0]?.weight ?? 0) * b) % 9973) % 3)
  expect(output).toMatchObject({
    outputs: { s0: { result: String(a) }, s1: { result: String(b) }, s2: { result: `${c} steps done`, steps: c } },
  })
  expect(runs.get('s2')).toMatchObject([{ recorded: c }])
  expect(runs.size).toBe(20)
})
