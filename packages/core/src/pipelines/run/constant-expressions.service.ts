import { hasItems } from '../definition.ts'
import { parseTemplate, renderTemplate } from '../template.ts'
import type { RunExpressions } from './run-expressions.service.ts'

/** For values without placeholders. An expression fails its step. */
// TODO(#21): the slice of expressions replaces it.
export const constantExpressions: RunExpressions = {
  open: async (_, step) =>
    step.when === undefined && !hasItems(step) ? { kind: 'run', items: 1, list: null } : { ...unavailable },
  render: async (_, value) => {
    const template = parseTemplate(value)
    if (template.placeholders.length > 0) return unavailable
    const rendered = renderTemplate(template, [])
    return rendered.kind === 'rendered' ? rendered : unavailable
  },
}

const unavailable = { kind: 'fault', code: 'expression_failed', message: 'Expressions are not available' } as const
