import { expect, test } from 'vitest'
import { parseCatalogFile } from './catalog-file.ts'

const good = `key: greeter
version: 1
name: Greeter
description: Says hello.
category: writing
config:
  model: simulated/script
  instructions: |
    Say hello.
input_schema:
  type: object
  properties:
    name: { type: string }
sample_input: { name: Ada }
simulated:
  - text: Hello {{input.name}}
`

/** Each entry as `line path: message`. */
const faultsOf = (text: string, key = 'greeter'): string[] => {
  const parsed = parseCatalogFile(text, key)
  return 'faults' in parsed ? parsed.faults.map(({ line, path, message }) => `${line} ${path}: ${message}`) : []
}

test('a valid file is parsed', () => {
  expect(parseCatalogFile(good, 'greeter')).toMatchObject({
    entry: {
      key: 'greeter',
      kind: 'llm',
      config: { model: 'simulated/script', instructions: 'Say hello.\n' },
      output_schema: null,
      sample_output: null,
      limits: {},
      needs_connector: false,
    },
  })
})

test.for([
  ['a field that is missing', good.replace('name: Greeter\n', ''), 'null name: is required and must be a string'],
  ['a field that nobody knows', `${good}colour: red\n`, '17 colour: is not a known field'],
  [
    'a field that nobody knows further in',
    good.replace('instructions:', 'instruction:'),
    '8 config.instruction: is not a known field; did you mean config.instructions?',
  ],
  ['a wrong type', good.replace('version: 1', 'version: one'), '2 version: must be a number'],
  [
    'a model without its provider',
    good.replace('simulated/script', 'gpt'),
    '7 config.model: must look like provider/model',
  ],
  [
    'a key that is not the file’s name',
    good.replace('key: greeter', 'key: other'),
    '1 key: must be greeter, because the file is called greeter.yaml',
  ],
  [
    'a script that is missing',
    good.slice(0, good.indexOf('simulated:')),
    '7 config.model: needs simulated: beside it, the script that simulated/script plays',
  ],
  [
    'an output schema without a sample',
    `${good}output_schema: { type: object }\n`,
    '17 output_schema: needs sample_output: beside it',
  ],
  [
    'a text that a comma has cut',
    good.replace('{ type: string }', '{ type: string, description: The name, in full }'),
    '13 in full: has no value; write null, or put quotes around the text',
  ],
  ['a key that is there twice', `${good}version: 2\n`, '17 : Map keys must be unique'],
  ['a limit out of bounds', `${good}limits: { max_steps: 0 }\n`, '17 limits.max_steps: must be at least 1'],
] as const)('%s is reported with its line and path', ([, text, fault]) => {
  expect(faultsOf(text)).toContain(fault)
})

test('all faults of a file are reported together', () => {
  const faults = faultsOf(good.replace('version: 1', 'version: 0').replace('category: writing', 'category: W'))
  expect(faults.map((fault) => fault.split(':')[0])).toEqual(['2 version', '5 category'])
})

test.for([
  ['nothing', ''],
  ['a list', '- a\n- b\n'],
  ['a word', 'hello'],
] as const)('a file that holds %s is reported as such', ([, text]) => {
  expect(faultsOf(text)[0]).toContain('must hold the fields of a catalog agent')
})

test('aliases with exponential expansion are refused and not expanded', () => {
  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x, x]']
  for (const [name, before] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf'])
    bomb.push(`${name}: &${name} [${Array(10).fill(`*${before}`).join(', ')}]`)
  expect(faultsOf(bomb.join('\n'))[0]).toContain('Excessive alias count')
})
