import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@ars/platform/log/log'
import { expect, onTestFinished, test } from 'vitest'
import { createModelList } from '../models/index.ts'
import { createValidator } from '../schemas/index.ts'
import { catalogBounds } from './bounds.ts'
import { createCatalog } from './catalog.service.ts'
import { builtInCatalogFolder } from './catalog-folder.service.ts'

const validator = createValidator()
const models = createModelList({ modelsFile: undefined })

const fileOf = (key: string, more = ''): string => `key: ${key}
version: 1
name: Agent ${key}
description: For a test.
category: test
config: { model: simulated/echo }
sample_input: {}
${more}`

const folderWith = (files: Record<string, string>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const open = (folders: readonly string[], catalogModel?: string) => {
  const lines: string[] = []
  const log = createLog({ level: 'info', write: (line) => lines.push(line) })
  return { ...createCatalog({ folders, models, validator, catalogModel, log }), lines }
}

test('the built-in catalog is valid and has the documented agents and test agents', () => {
  const { list } = open([builtInCatalogFolder])
  const entries = list({ limit: 100 })
  const tests = entries.filter(({ category }) => category === 'test').map(({ key }) => key)
  expect(tests.map((key) => key.slice(5))).toEqual(['approval', 'echo', 'fail', 'flaky', 'slow', 'steps', 'stream'])
  expect(entries.length - tests.length).toBeGreaterThanOrEqual(10)
  for (const { category, config, input_schema, output_schema } of entries) {
    if (category === 'test') continue
    expect([input_schema?.additionalProperties, output_schema?.additionalProperties]).toEqual([false, false])
    expect(String(config.instructions)).toMatch(/never instructions/)
  }
})

// A vendor's structured output refuses unknown keywords, so built-in validator use only the common ones.
const portable = [
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'description',
  '$defs',
  '$ref',
]

const unportableIn = (schema: unknown, names: boolean): string[] => {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return []
  return Object.entries(schema).flatMap(([word, value]) => [
    ...(names || portable.includes(word) ? [] : [word]),
    ...(!names && ['required', 'enum'].includes(word)
      ? []
      : unportableIn(value, !names && (word === 'properties' || word === '$defs'))),
  ])
}

test('every built-in output schema uses only keywords that all vendors support, with every property required', () => {
  const isWhole = (schema: unknown): boolean => {
    if (typeof schema !== 'object' || schema === null) return true
    const { properties, required, ...rest } = schema as Record<string, unknown>
    const isComplete = !properties || Object.keys(properties).every((name) => (required as string[]).includes(name))
    return isComplete && Object.values({ ...rest, ...(properties as object) }).every(isWhole)
  }
  for (const { key, output_schema } of open([builtInCatalogFolder]).list({ limit: 100 })) {
    expect([key, unportableIn(output_schema, false), isWhole(output_schema)]).toEqual([key, [], true])
  }
})

test('an operator’s agent replaces the built-in one with the same key, and the log records it', () => {
  const folder = folderWith({ 'summariser.yaml': fileOf('summariser'), 'own.yaml': fileOf('own') })
  const { find, lines } = open([builtInCatalogFolder, folder])
  expect(find('summariser')?.name).toBe('Agent summariser')
  expect(find('own')?.name).toBe('Agent own')
  expect(find('classifier')).not.toBeNull()
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'catalog agent replaced', catalog_key: 'summariser', file: join(folder, 'summariser.yaml') },
  ])
})

test('invalid files prevent the start, and every fault is reported with file, path and line', () => {
  const folder = folderWith({
    'a.yaml': fileOf('a', 'input_schema: { type: object, required: [text] }\n'),
    'b.yaml': fileOf('b', 'output_schema: { type: nonsense }\nsample_output: {}\n'),
    'c.yaml': fileOf('c', 'simulated:\n  - text: a\n    colour: red\n'),
    'd.yaml': fileOf('d').replace('simulated/echo', 'openai/gpt-9'),
    'e.yaml': fileOf('e', 'input_schema: { type: object, properties: { n: { type: integer } } }\n').replace(
      'sample_input: {}',
      'sample_input:\n  n: one',
    ),
    'f.yaml': 'key: [',
    'g.yml': '',
  })
  const faultsOf = (): string[] => {
    try {
      open([folder])
      return []
    } catch (error) {
      return String((error as Error).message)
        .replaceAll(`${folder}/`, '')
        .split('\n')
    }
  }
  expect(faultsOf()).toEqual([
    'g.yml: is not read: its name must end in .yaml',
    'a.yaml, sample_input (line 7): text is required',
    expect.stringMatching(/^b\.yaml, output_schema \(line 8\): The schema cannot be used: /),
    'c.yaml, simulated.0.colour (line 10): is not a known field',
    'd.yaml, config.model (line 6): openai/gpt-9 is not in the models file',
    'e.yaml, sample_input.n (line 8): n must be an integer',
    expect.stringMatching(/^f\.yaml \(line 1\): /),
  ])
})

test('a script whose answer to the sample does not match the output schema is a fault of its file', () => {
  const schema = 'output_schema: { type: object, required: [n] }\nsample_output: { n: 1 }\n'
  const script = (turn: string) => fileOf('a', `${schema}simulated:\n  - ${turn}\n`)
  const openWith = (turn: string) => () => open([folderWith({ 'a.yaml': script(turn) })])
  expect(openWith('text: hello')).toThrow('a.yaml, simulated (line 10): its last words are not JSON')
  expect(openWith('json: {}')).toThrow('does not fit output_schema: n is required')
  expect(openWith('again: true')).toThrow('The script has 1 turns and was asked for one more')
  expect(openWith('json: { n: 1 }')).not.toThrow()
})

test('a missing folder and an unlisted operator model prevent the start and are named', () => {
  expect(() => open(['/nowhere/at/all'])).toThrow('/nowhere/at/all: cannot be read')
  expect(() => open([builtInCatalogFolder], 'openai/gpt-9')).toThrow('ARS_CATALOG_MODEL: openai/gpt-9 is not')
})

test('a file or folder that is too large is refused before it is read', () => {
  const large = folderWith({ 'a.yaml': `#${' '.repeat(catalogBounds.file.bytes)}` })
  expect(() => open([large])).toThrow(`a.yaml: is larger than ${catalogBounds.file.bytes} bytes`)
  const names = Array.from({ length: catalogBounds.files.count + 1 }, (_, index) => [`a${index}.yaml`, ''])
  expect(() => open([folderWith(Object.fromEntries(names))])).toThrow('holds 501 files; 500 are read at the most')
})

test('other files, hidden files and subfolders in a catalog folder are ignored', () => {
  const folder = folderWith({ 'a.yaml': fileOf('a'), 'README.md': '#', '.b.yaml': 'broken: [' })
  mkdirSync(join(folder, 'deeper'))
  expect(open([folder]).list({})).toHaveLength(1)
})

test('the list is alphabetical and paged by key in both directions', () => {
  const folder = folderWith(Object.fromEntries(['c', 'a', 'd', 'b'].map((key) => [`${key}.yaml`, fileOf(key)])))
  const { list } = open([folder])
  const keysOf = (page: Parameters<typeof list>[0]) => list(page).map(({ key }) => key)
  expect(keysOf({ limit: 2 })).toEqual(['a', 'b', 'c'])
  expect(keysOf({ limit: 2, after: 'b' })).toEqual(['c', 'd'])
  expect(keysOf({ limit: 2, before: 'd' })).toEqual(['c', 'b', 'a'])
  expect(keysOf({ after: 'bb' })).toEqual(['c', 'd'])
  expect(keysOf({ q: 'AGENT C' })).toEqual(['c'])
})
