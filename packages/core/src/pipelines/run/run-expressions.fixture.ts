import { hasItems, type JsonValue, pipelineLimits } from '../definition.ts'
import type { ExpressionScope, PipelineExpressions } from '../pipeline-expressions.service.ts'
import { parseTemplate, readExpressionText, renderTemplate } from '../template.ts'

/** Evaluates paths such as `steps.a.output.text`, comparisons of a path with a text, and `fail`, without threads. */
export const simpleExpressions: Pick<PipelineExpressions, 'open' | 'render'> = {
  open: async (_, step, scope) => {
    try {
      if (step.when !== undefined && evaluate(readExpressionText(step.when).source, scope) !== true)
        return { kind: 'skip' }
      if (!hasItems(step)) return { kind: 'run', items: 1, list: null }
      const list = evaluate(readExpressionText(step.for_each).source, scope)
      if (!Array.isArray(list) || list.length > pipelineLimits.itemsPerStep) return failed('for_each needs a list')
      return { kind: 'run', items: list.length, list }
    } catch (error) {
      return failed(String(error))
    }
  },
  render: async (_, value, scope) => {
    try {
      const template = parseTemplate(value)
      const rendered = renderTemplate(
        template,
        template.placeholders.map(({ source }) => evaluate(source, scope)),
      )
      return rendered.kind === 'rendered' ? rendered : failed('too large')
    } catch (error) {
      return failed(String(error))
    }
  },
}

const failed = (message: string) => ({ kind: 'fault', code: 'expression_failed', message }) as const

const evaluate = (source: string, scope: ExpressionScope): JsonValue => {
  const [left = '', right] = source.split('==').map((part) => part.trim())
  if (left === 'fail') throw new Error('as asked')
  let value: unknown = scope
  for (const name of left.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[name]
  if (right === undefined) return (value ?? null) as JsonValue
  return value === right.replaceAll("'", '')
}
