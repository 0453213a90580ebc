import { rememberRecent } from '@ars/platform/recent'
import type { TaskHandlers } from '@ars/platform/thread'
import {
  checkExpression,
  compileExpression,
  parseTemplate,
  placeholderText,
  templateLimits,
  type Variables,
} from '../expressions/index.ts'
import { promptsBounds } from './bounds.ts'

/** What the threads of the pool do for this slice. `input` is JSON, which is cheaper to hand over than objects. */
export type TemplateTasks = {
  'templates.check': { task: { template: string }; result: InputTemplateProblem[] }
  'templates.render': { task: { template: string; input: string }; result: RenderedTemplate }
}

/** `position` counts characters (UTF-16) from 0 within the template. */
export type InputTemplateProblem = { message: string; position: number }

/** The message names no part of the input. */
export type RenderedTemplate = { kind: 'rendered'; text: string } | { kind: 'fault'; message: string }

const variables: Variables = { input: { kind: 'dyn' } }

const maxPrograms = promptsBounds.templatePrograms.count
const maxProblems = promptsBounds.templateProblemsTold.count

export const templateTasks = (): TaskHandlers => {
  const programOf = rememberRecent(maxPrograms, (source) => compileExpression({ source, variables, wanted: 'any' }))
  // The first expression pays for the parser otherwise.
  programOf('input.query')

  const check = ({ template }: TemplateTasks['templates.check']['task']): InputTemplateProblem[] => {
    const { placeholders, problems } = parseTemplate(template)
    const found = problems.map(({ message, offset }) => ({ message, position: offset }))
    for (const { offset, source } of placeholders.slice(0, templateLimits.placeholders)) {
      if (found.length >= maxProblems || source === '') continue
      const report = checkExpression({ source, variables, wanted: 'any' })
      found.push(...report.problems.map(({ message, position }) => ({ message, position: offset + position })))
    }
    return found.slice(0, maxProblems)
  }

  const render = ({ template, input }: TemplateTasks['templates.render']['task']): RenderedTemplate => {
    const { root, placeholders, problems } = parseTemplate(template)
    if (problems.length > 0) return fault('The template is not valid')
    const values = { input: JSON.parse(input) as unknown }
    const max = templateLimits.renderedChars
    const texts: string[] = []
    let chars = 0
    for (const { offset, source } of placeholders) {
      const program = programOf(source)
      if (program.kind === 'problems') return fault('The template is not valid')
      const outcome = program.run(values, max)
      if (outcome.kind === 'error') return fault(`The placeholder at character ${offset + 1}: ${outcome.message}`)
      const text = placeholderText(outcome.value)
      chars += text.length
      if (chars > max) return fault(`The values of the placeholders have more than ${max} characters`)
      texts.push(text)
    }
    const parts = partsOf(root)
    return {
      kind: 'rendered',
      text: parts.map((part) => (typeof part === 'string' ? part : (texts[part] ?? ''))).join(''),
    }
  }

  return {
    'templates.check': (payload) => check(payload as TemplateTasks['templates.check']['task']),
    'templates.render': (payload): RenderedTemplate => {
      try {
        return render(payload as TemplateTasks['templates.render']['task'])
      } catch (error) {
        if (error instanceof RangeError) return fault('A value is nested too deeply')
        throw error
      }
    },
  }
}

const fault = (message: string): RenderedTemplate => ({ kind: 'fault', message })

/** A template is one text, so its root is text, one placeholder, or text with placeholders. */
const partsOf = (root: ReturnType<typeof parseTemplate>['root']): readonly (string | number)[] => {
  if (root.kind === 'text') return root.parts
  if (root.kind === 'value') return [root.placeholder]
  return root.kind === 'literal' ? [String(root.value)] : []
}
