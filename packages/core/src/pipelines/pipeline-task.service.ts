import { rememberRecent } from '@ars/platform/recent'
import type { TaskHandlers } from '@ars/platform/thread'
import {
  checkExpression,
  compileExpression,
  type DeclaredExpression,
  type Evaluated,
  expressionTexts,
  type JsonPath,
  type JsonValue,
  parseTemplate,
  placeholderText,
  readExpressionText,
  renderTemplate,
  templateLimits,
} from '../expressions/index.ts'
import { pipelinesBounds } from './bounds.ts'
import { type PipelineDefinition, pipelineLimits } from './definition.ts'
import { type DefinitionProblem, problemsOfDefinition } from './definition-problems.ts'
import { evaluatedVariables } from './expression-scope.ts'

/** What the threads of the pool do for this slice. All texts except `when` and `forEach` are JSON, which is cheaper to hand over than objects. */
export type PipelineTasks = {
  'pipelines.check': { task: { definition: string; agents: string }; result: DefinitionProblem[] }
  'pipelines.open': {
    task: { when?: string | undefined; forEach?: string | undefined; scope: string }
    result: { kind: 'run'; items: number; list: string | null } | { kind: 'skip' } | ExpressionFault
  }
  'pipelines.render': {
    task: { value: string; scope: string }
    result: { kind: 'rendered'; json: string } | ExpressionFault
  }
}

/** The message names no part of inputs and outputs. */
export type ExpressionFault = { kind: 'fault'; code: 'expression_failed' | 'too_many_items'; message: string }

/** What `agents` of a check is. */
export type CheckedAgents = readonly (readonly [string, { outputSchema: JsonValue | null }])[]

// About 100 KB each at most.
const maxPrograms = pipelinesBounds.programsKnown.count

export const pipelineTasks = (): TaskHandlers => {
  const programOf = rememberRecent(maxPrograms, (key) => {
    const [wanted = 'any'] = key.split(' ', 1)
    const source = key.slice(wanted.length + 1)
    return compileExpression({
      source,
      variables: evaluatedVariables,
      wanted: wanted as DeclaredExpression['wanted'],
    })
  })
  // The first expression pays for the parser otherwise.
  programOf('bool input == 1')

  type Evaluation = { wanted: DeclaredExpression['wanted']; source: string; maxChars?: number }

  const evaluate = ({ wanted, source, maxChars }: Evaluation, scope: Record<string, unknown>): Evaluated => {
    const program = programOf(`${wanted} ${source}`)
    if (program.kind === 'problems') return { kind: 'error', message: 'The expression is not valid' }
    return program.run(scope, maxChars)
  }

  const open = ({ when, forEach, scope: text }: PipelineTasks['pipelines.open']['task']): Opened => {
    const scope = JSON.parse(text) as Record<string, unknown>
    if (when !== undefined) {
      const verdict = evaluate({ wanted: 'bool', source: readExpressionText(when).source }, scope)
      if (verdict.kind === 'error') return faultOf(`when: ${verdict.message}`)
      if (verdict.value !== true) return { kind: 'skip' }
    }
    if (forEach === undefined) return { kind: 'run', items: 1, list: null }
    const found = evaluate({ wanted: 'list', source: readExpressionText(forEach).source }, scope)
    if (found.kind === 'error') return faultOf(`for_each: ${found.message}`)
    const items = Array.isArray(found.value) ? found.value.length : 0
    const max = pipelineLimits.itemsPerStep
    if (items > max) {
      const message = `for_each: The list has ${items} items; at most ${max} are allowed`
      return { kind: 'fault', code: 'too_many_items', message }
    }
    const list = JSON.stringify(found.value)
    const maxBytes = pipelineLimits.storedBytesPerStep
    if (Buffer.byteLength(list) > maxBytes) {
      const message = `for_each: The list has more than ${maxBytes} bytes of JSON`
      return { kind: 'fault', code: 'too_many_items', message }
    }
    return { kind: 'run', items, list }
  }

  const render = ({ value, scope: text }: PipelineTasks['pipelines.render']['task']): RenderedText => {
    const scope = JSON.parse(text) as Record<string, unknown>
    const template = parseTemplate(JSON.parse(value) as JsonValue)
    if (template.problems.length > 0) return faultOf('The placeholders are not valid')
    const max = templateLimits.renderedChars
    const values: JsonValue[] = []
    let chars = 0
    for (const { path, source } of template.placeholders) {
      const outcome = evaluate({ wanted: 'any', source, maxChars: max }, scope)
      if (outcome.kind === 'error') return faultOf(`${placeOf(path)}${outcome.message}`)
      values.push(outcome.value)
      // A hundred large values would not fit into the memory of a thread.
      chars += placeholderText(outcome.value).length
      if (chars > max) return tooLarge
    }
    const rendered = renderTemplate(template, values)
    if (rendered.kind === 'too_large') return tooLarge
    return { kind: 'rendered', json: JSON.stringify(rendered.value) }
  }

  return {
    'pipelines.check': (payload): DefinitionProblem[] => {
      const { definition, agents } = payload as PipelineTasks['pipelines.check']['task']
      return problemsOfDefinition(JSON.parse(definition) as PipelineDefinition, {
        agents: new Map(JSON.parse(agents) as CheckedAgents),
        check: checkExpression,
        texts: expressionTexts,
      })
    },
    'pipelines.open': (payload) => withinStack(() => open(payload as PipelineTasks['pipelines.open']['task'])),
    'pipelines.render': (payload) => withinStack(() => render(payload as PipelineTasks['pipelines.render']['task'])),
  }
}

type Opened = PipelineTasks['pipelines.open']['result']
type RenderedText = PipelineTasks['pipelines.render']['result']

const withinStack = <Result>(work: () => Result): Result | ExpressionFault => {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError) return faultOf('A value is nested too deeply')
    throw error
  }
}

const faultOf = (message: string): ExpressionFault => ({ kind: 'fault', code: 'expression_failed', message })

const tooLarge = faultOf(`The values of the placeholders have more than ${templateLimits.renderedChars} characters`)

const maxPlaceChars = pipelinesBounds.placeTold.chars

const placeOf = (path: JsonPath): string => (path.length > 0 ? `${path.join('.').slice(0, maxPlaceChars)}: ` : '')
