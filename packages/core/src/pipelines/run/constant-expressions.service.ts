import { hasItems } from '../definition.ts'
import { parseTemplate, renderTemplate } from '../template.ts'
import type { PipelineExpressions } from './pipeline-expressions.service.ts'

/** For values without placeholders. An expression fails its step. */
// TODO(#21): the slice of expressions replaces it.
export const constantExpressions: PipelineExpressions = {
  open: async (step) =>
    step.when === undefined && !hasItems(step) ? { kind: 'run', items: 1, list: null } : { ...unavailable },
  render: async (value) => {
    const template = parseTemplate(value)
    if (template.placeholders.length > 0) return unavailable
    const rendered = renderTemplate(template, [])
    return rendered.kind === 'rendered' ? rendered : unavailable
  },
}

const unavailable = { kind: 'fault', code: 'expression_failed', message: 'Expressions are not available' } as const
