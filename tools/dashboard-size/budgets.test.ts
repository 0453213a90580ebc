import { expect, test } from 'vitest'
import { type Chunk, judgeSizes } from './budgets.ts'

const chunks: Record<string, Chunk> = {
  'index.html': {
    file: 'index.js',
    imports: ['_react'],
    css: ['index.css'],
    assets: ['inter-latin-wght-normal.woff2', 'inter-greek-wght-normal.woff2', 'mono-latin-wght-normal.woff2'],
  },
  _react: { file: 'react.js' },
  _table: { file: 'table.js' },
  'src/pages/runs/run-list.tsx': { file: 'run-list.js', imports: ['index.html', '_table'] },
  'src/pages/runs/run-page.tsx': { file: 'run-page.js', imports: ['_react', '_form'] },
  'src/pages/agents/agent-list.tsx': { file: 'agent-list.js', imports: ['_table', '_form'] },
  _form: { file: 'form.js' },
  '_charts-1.js': { file: 'charts.js', name: 'charts', imports: ['_react'] },
}
const sizes: Record<string, number> = { 'index.js': 10_000, 'react.js': 60_000, 'index.css': 6_000, 'table.js': 5_000 }
const judge = (more: Record<string, number> = {}) => {
  const known: Record<string, number> = { ...sizes, ...more }
  const verdicts = judgeSizes({ chunks, bytesOf: (file) => known[file] ?? 1_000 })
  return Object.fromEntries(verdicts.map(({ what, bytes, maxBytes }) => [what, { bytes, isOver: bytes > maxBytes }]))
}

test('the first load counts what the page and its imports load, styles included', () => {
  expect(judge()['first load of /runs']).toEqual({ bytes: 82_000, isOver: false })
  expect(judge({ 'table.js': 150_000 })['first load of /runs']?.isOver).toBe(true)
})

test('a page is charged for what it alone loads on top of that', () => {
  expect(judge()['src/pages/agents/agent-list.tsx']).toEqual({ bytes: 1_000, isOver: false })
  expect(judge({ 'form.js': 90_000 })['src/pages/agents/agent-list.tsx']?.isOver).toBe(false)
  expect(judge({ 'agent-list.js': 26_000 })['src/pages/agents/agent-list.tsx']?.isOver).toBe(true)
  expect(judge({ 'run-page.js': 16_000 })['run page, its own part']?.isOver).toBe(true)
})

test('all scripts together have a budget', () => {
  expect(judge({ 'form.js': 700_000 })['all scripts']?.isOver).toBe(true)
})

test('charts and the fonts of an English page have budgets of their own', () => {
  expect(judge().charts).toEqual({ bytes: 1_000, isOver: false })
  expect(judge({ 'charts.js': 26_000 }).charts?.isOver).toBe(true)
  expect(judge()['fonts of the first page']).toEqual({ bytes: 2_000, isOver: false })
  expect(judge({ 'mono-latin-wght-normal.woff2': 90_000 })['fonts of the first page']?.isOver).toBe(true)
})
