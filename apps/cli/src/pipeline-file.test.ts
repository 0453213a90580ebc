import { expect, test } from 'vitest'
import { parsePipelineFile, problemText } from './pipeline-file.ts'

const yaml = `# A comment.
key: example
name: Example
definition:
  steps:
    - key: judge
      agent_id: classifier
      when: input.lable == "x"
      input:
        text: 'It''s \${{ input.wrong }}'
        long: |
          first line
          \${{ input.second }}
    - key: ask
      approval: { message: "Go \\n on \${{ nothing }}?" }
sample_input: {}
`
const file = parsePipelineFile('example.yaml', yaml)
const placeOf = (param: string, position: number | null) => {
  const { line, column } = file.placeOf(param, position)
  return `${line}:${column}`
}

test('a field is found at its line and column, and a missing one at the nearest field around it', () => {
  expect(placeOf('definition.steps.0.agent_id', null)).toBe('7:17')
  expect(placeOf('definition.steps.0.depends_on', null)).toBe('6:7')
  expect(placeOf('description', null)).toBe('2:1')
})

test('a position within a text is found in plain, quoted and block texts', () => {
  expect(placeOf('definition.steps.0.when', 6)).toBe('8:19')
  expect(placeOf('definition.steps.0.input.text', "It's ${{ ".length)).toBe('10:26')
  expect(placeOf('definition.steps.0.input.long', 'first line\n${{ '.length)).toBe('13:15')
  // An escape makes the text differ from its form in the file.
  expect(placeOf('definition.steps.1.approval.message', 12)).toBe('15:28')
})

test('JSON has positions too', () => {
  const json = '{"name": "x",\n "definition": {"steps": [{"key": "a", "when": "inptu"}]}}'
  const { line, column } = parsePipelineFile('x.json', json).placeOf('definition.steps.0.when', 2)
  expect([line, column]).toEqual([2, 51])
})

test('the text of a problem has file, place, path, message and the line with a mark', () => {
  const problem = { param: 'definition.steps.0.when', message: 'There is no field lable', position: 6 }
  expect(problemText(file, problem)).toBe(
    [
      'example.yaml:8:19: definition.steps.0.when: There is no field lable',
      '      when: input.lable == "x"',
      '                  ^',
    ].join('\n'),
  )
})

test('key and sample_input of the catalog are not sent', () => {
  expect(Object.keys(file.fields)).toEqual(['name', 'definition'])
})

test('a file that is not YAML is refused with its line, and one without a name too', () => {
  expect(() => parsePipelineFile('x.yaml', 'name: [')).toThrow(/^x\.yaml:1:\d+ is not YAML or JSON/)
  expect(() => parsePipelineFile('x.yaml', 'definition: {}')).toThrow('x.yaml: name is missing')
  expect(() => parsePipelineFile('x.yaml', '- 1')).toThrow('must contain an object')
})
