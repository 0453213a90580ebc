import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type GraphStep, graphSize, layOut } from './step-graph.ts'

const steps = (given: Record<string, string[]>): GraphStep[] =>
  Object.entries(given).map(([key, dependsOn]) => ({ key, dependsOn }))

test('a step stands below all steps that it depends on', () => {
  const { nodes } = layOut(steps({ a: [], b: ['a'], c: ['a'], d: ['b', 'c'], e: ['a', 'd'] }))
  expect(Object.fromEntries(nodes.map(({ key, layer }) => [key, layer]))).toEqual({ a: 0, b: 1, c: 1, d: 2, e: 3 })
})

test('an edge over several layers passes beside the steps between', () => {
  const { nodes, edges } = layOut(steps({ a: [], b: ['a'], c: ['b', 'a'] }))
  const long = edges.find(({ from, to }) => from === 'a' && to === 'c')
  const b = nodes.find(({ key }) => key === 'b')
  const xs = [...(long?.path.matchAll(/([\d.]+) ([\d.]+)(?= C|$)/g) ?? [])].map(([, x]) => Number(x))
  const inLayerOfB = xs.slice(1, 3)
  for (const x of inLayerOfB)
    expect(x < (b?.x ?? 0) || x > (b?.x ?? 0) + graphSize.nodeWidth, `${x} beside ${b?.x}`).toBe(true)
})

test('no steps give an empty graph', () => {
  expect(layOut([])).toEqual({ nodes: [], edges: [], width: 24, height: 0 })
})

test('faults of a definition that is being typed are drawn as far as possible', () => {
  const { nodes, edges } = layOut([
    { key: 'a', dependsOn: ['b', 'unknown', 'a'] },
    { key: 'b', dependsOn: ['a'] },
    { key: 'a', dependsOn: [] },
  ])
  expect(nodes.map(({ key }) => key)).toEqual(['a', 'b'])
  expect(edges.map(({ from, to }) => [from, to])).toEqual([
    ['b', 'a'],
    ['a', 'b'],
  ])
})

test('steps never overlap, are inside the picture, and edges are known, for any graph', () => {
  const key = fc.constantFrom(...'abcdefghijklmnop')
  const step = fc.record({ key, dependsOn: fc.array(key, { maxLength: 6 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 16 }), (given) => {
      const { nodes, edges, width, height } = layOut(given)
      expect(nodes.map((node) => node.key)).toEqual([...new Set(given.map((each) => each.key))])
      const isOutside = ({ x, y }: { x: number; y: number }) =>
        x < graphSize.padding || x + graphSize.nodeWidth > width || y + graphSize.nodeHeight > height
      expect(nodes.filter(isOutside)).toEqual([])
      const overlaps = nodes.filter((one) =>
        nodes.some((other) => other !== one && one.y === other.y && Math.abs(one.x - other.x) < graphSize.nodeWidth),
      )
      expect(overlaps).toEqual([])
      expect(edges.filter(({ path }) => !/^M [\d.]+ [\d.]+( C( -?[\d.]+){6})+$/.test(path))).toEqual([])
    }),
  )
})

test('a graph with every possible edge stays bounded', () => {
  const keys = Array.from({ length: 200 }, (_, n) => `s${n}`)
  const { nodes, edges } = layOut(keys.map((key, n) => ({ key, dependsOn: keys.slice(0, n) })))
  expect(nodes).toHaveLength(200)
  expect(edges).toHaveLength(19_900)
})
