import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expressionsBounds } from './bounds.ts'
import { escapeText, type JsonValue, parseTemplate, readExpressionText, renderTemplate } from './template.ts'

const sourcesOf = (value: JsonValue) => parseTemplate(value).placeholders.map(({ source }) => source)

const render = (value: JsonValue, ...values: JsonValue[]) => renderTemplate(parseTemplate(value), values)

const rendered = (value: JsonValue) => ({ kind: 'rendered', value })

describe('placeholders', () => {
  test('each has the path of its string and its position in it', () => {
    const { placeholders, problems } = parseTemplate({
      subject: 'About ${{ input.name }} and ${{steps.a.output}}',
      list: [1, { deep: '${{  item  }}' }],
    })
    expect(placeholders).toEqual([
      { path: ['subject'], offset: 10, source: 'input.name' },
      { path: ['subject'], offset: 31, source: 'steps.a.output' },
      { path: ['list', 1, 'deep'], offset: 5, source: 'item' },
    ])
    expect(problems).toEqual([])
  })

  test.for([
    ['${{ {"a": {"b": 1}} }}', '{"a": {"b": 1}}'],
    ['${{ {"a":{"b":1}}}}', '{"a":{"b":1}}'],
    ['${{ "}}" + \'}}\' }}', '"}}" + \'}}\''],
    ['${{ "\\"}}" }}', '"\\"}}"'],
    ['${{ r"\\" + "a" }}', 'r"\\" + "a"'],
    ['${{ """a " }} b""" }}', '"""a " }} b"""'],
    ['${{ "${{" }}', '"${{"'],
  ] as const)('%s ends after its own strings and braces', ([text, source]) => {
    expect(sourcesOf(text)).toEqual([source])
  })

  test('one that is not closed or empty is a problem', () => {
    expect(parseTemplate({ a: ['x ${{ "}}'] }).problems).toEqual([
      { path: ['a', 0], offset: 2, message: expect.stringMatching(/no }}/) },
    ])
    expect(parseTemplate('x ${{  }}').problems).toMatchObject([{ path: [], offset: 2 }])
  })

  test('their number is bounded', () => {
    const max = expressionsBounds.placeholders.count
    expect(parseTemplate('${{ 1 }}'.repeat(max)).problems).toEqual([])
    expect(parseTemplate('${{ 1 }}'.repeat(max + 1)).problems).toMatchObject([{ offset: 8 * max + 4 }])
  })
})

describe('values', () => {
  test.for([null, true, 7, 'text', [1, 'a'], { a: { b: null } }] as JsonValue[])('%j alone keeps its type', (value) => {
    expect(render({ a: '${{ x }}' }, value)).toEqual(rendered({ a: value }))
  })

  test('inside text become text', () => {
    const text = 'A ${{ a }}, ${{ b }}, ${{ c }}, ${{ d }}, ${{ e }}.'
    expect(render(text, 'text', 7.5, false, null, { a: [1] })).toEqual(rendered('A text, 7.5, false, , {"a":[1]}.'))
  })

  test('are not read as templates again', () => {
    expect(render('A ${{ a }}', '${{ b }}')).toEqual(rendered('A ${{ b }}'))
  })

  test('are bounded together', () => {
    const half = 'x'.repeat(expressionsBounds.rendered.chars / 2)
    expect(render(['${{ a }}', '${{ b }}'], half, half)).toMatchObject({ kind: 'rendered' })
    expect(render(['${{ a }}', '${{ b }}'], half, `${half}x`)).toEqual({ kind: 'too_large' })
  })
})

describe('a backslash', () => {
  test.for([
    ['\\${{ a }}', '${{ a }}'],
    ['\\\\\\${{ a }}', '\\${{ a }}'],
    ['C:\\dir \\n $ {{ }} $$', 'C:\\dir \\n $ {{ }} $$'],
  ] as const)('before ${{ makes it text: %s', ([text, expected]) => {
    expect(sourcesOf(text)).toEqual([])
    expect(render(text)).toEqual(rendered(expected))
  })

  test('stands for itself when it is doubled', () => {
    expect(render('\\\\${{ a }}', 'x')).toEqual(rendered('\\x'))
    expect(render('$${{ price }}', 5)).toEqual(rendered('$5'))
  })
})

describe('for all values', () => {
  const nearly = fc
    .array(fc.constantFrom('$', '{', '}', '${{', '}}', '\\', ' ', '"', "'", 'a', '\ud83d'))
    .map((all) => all.join(''))

  test('an escaped text parses to itself', () => {
    fc.assert(
      fc.property(fc.oneof(nearly, fc.string()), (text) => {
        const { placeholders, problems } = parseTemplate(escapeText(text))
        expect([placeholders, problems]).toEqual([[], []])
        expect(render(escapeText(text))).toEqual(rendered(text))
      }),
    )
  })

  test('rendering undoes parsing where nothing is evaluated', () => {
    const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, false),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        nearly,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.oneof(nearly, fc.constantFrom('__proto__', 'constructor')), tie('value'), { maxKeys: 4 }),
      ),
    }))
    fc.assert(
      fc.property(value, (each) => {
        const template = parseTemplate(each)
        expect(render(escaped(each))).toEqual(rendered(each))
        for (const { path, offset, source } of template.placeholders) {
          expect(String(partOf(each, path)).slice(offset, offset + source.length)).toBe(source)
        }
      }),
    )
  })

  test('texts and placeholders come out in their order', () => {
    const piece = fc.record({ text: nearly.map(escapeText), value: fc.string() })
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
        // The space keeps a backslash or a $ at the end of a text away from the placeholder.
        const text = pieces.map((each) => `${each.text} \${{ x }}`).join('')
        const plain = pieces.map((each) => `${String(plainOf(each.text))} ${each.value}`).join('')
        expect(render(text, ...pieces.map((each) => each.value))).toEqual(rendered(plain))
      }),
    )
  })
})

test.for([
  ['input.ready', 'input.ready', 0],
  ['${{ input.ready }}', 'input.ready', 4],
  [' ${{input.ready}} ', 'input.ready', 4],
  ['${{ {"a":{"b":1}} }}', '{"a":{"b":1}}', 4],
  ['', '', 0],
] as const)('the expression of %s is read', ([text, source, offset]) => {
  expect(readExpressionText(text)).toEqual({ source, offset })
})

const escaped = (value: JsonValue): JsonValue => {
  if (typeof value === 'string') return escapeText(value)
  if (Array.isArray(value)) return value.map(escaped)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, escaped(each)]))
}

const partOf = (value: JsonValue, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((each, name) => (each as Record<string | number, unknown>)[name], value)

const plainOf = (text: string): JsonValue => {
  const result = render(text)
  return result.kind === 'rendered' ? result.value : null
}
