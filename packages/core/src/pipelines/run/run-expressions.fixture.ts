import { type JsonValue, parseTemplate, readExpressionText, renderTemplate } from '../../expressions/index.ts'
import { hasItems, pipelineLimits } from '../definition.ts'
import type { ExpressionScope } from '../expression-scope.ts'
import type { PipelineExpressions, ScopeTexts } from '../pipeline-expressions.service.ts'

/** Evaluates paths such as `steps.a.output.text`, comparisons of a path with a text, and `fail`, without threads. */
export const simpleExpressions: Pick<PipelineExpressions, 'open' | 'render'> = {
  open: async (_, step, texts) => {
    try {
      const scope = valuesOf(texts)
      if (step.when !== undefined && evaluate(readExpressionText(step.when).source, scope) !== true)
        return { kind: 'skip' }
      if (!hasItems(step)) return { kind: 'run', items: 1, list: null }
      const list = evaluate(readExpressionText(step.for_each).source, scope)
      if (!Array.isArray(list) || list.length > pipelineLimits.itemsPerStep) return failed('for_each needs a list')
      return { kind: 'run', items: list.length, list: JSON.stringify(list) }
    } catch (error) {
      return failed(String(error))
    }
  },
  render: async (_, value, texts) => {
    try {
      const scope = valuesOf(texts)
      const template = parseTemplate(value)
      const rendered = renderTemplate(
        template,
        template.placeholders.map(({ source }) => evaluate(source, scope)),
      )
      return rendered.kind === 'rendered'
        ? { kind: 'rendered', json: JSON.stringify(rendered.value) }
        : failed('too large')
    } catch (error) {
      return failed(String(error))
    }
  },
}

const failed = (message: string) => ({ kind: 'fault', code: 'expression_failed', message }) as const

const valuesOf = ({ input, steps, item, index }: ScopeTexts): ExpressionScope => ({
  input: JSON.parse(input) as JsonValue,
  steps: Object.fromEntries(
    Object.entries(steps).map(([key, { status, output }]) => {
      if (output === undefined) throw new Error('too large')
      return [key, { status, output: JSON.parse(output) as JsonValue }]
    }),
  ),
  ...(item !== undefined && { item: JSON.parse(item) as JsonValue }),
  ...(index !== undefined && { index }),
})

const evaluate = (source: string, scope: ExpressionScope): JsonValue => {
  const [left = '', right] = source.split('==').map((part) => part.trim())
  if (left === 'fail') throw new Error('as asked')
  let value: unknown = scope
  for (const name of left.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[name]
  if (right === undefined) return (value ?? null) as JsonValue
  return value === right.replaceAll("'", '')
}
