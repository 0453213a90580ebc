import type { ExpressionTexts, JsonValue } from '../expressions/index.ts'
import {
  type AgentStep,
  type ApprovalStep,
  hasItems,
  isApproval,
  type PipelineDefinition,
  type PipelineStep,
  pipelineLimits,
} from './definition.ts'
import { itemVariables, scopeVariables, stepVariable } from './expression-scope.ts'
import { ancestorsOf, orderSteps } from './step-graph.ts'
import { anyText, listTypeOf, objectTypeOf, typeOfSchema, type ValueType } from './value-type.ts'

/** `param` is the path of the field. `position` counts characters (UTF-16) from 0 within its text. */
export type DefinitionProblem = { param: string; message: string; position?: number }

export type ScopedExpression = {
  source: string
  variables: Readonly<Record<string, ValueType>>
  wanted: 'bool' | 'list' | 'any'
}

/** `references`: the fields that the expression reads by name, such as `["steps", "a", "output"]`, as long as names follow each other. */
export type ExpressionFindings = {
  problems: readonly { message: string; position: number }[]
  references: readonly { path: readonly string[]; position: number }[]
}

export type DefinitionFacts = {
  /** The agents that the steps may name, with the schema of their outputs if they have one. */
  agents: ReadonlyMap<string, { outputSchema: JsonValue | null }>
  check(expression: ScopedExpression): ExpressionFindings
  /** How texts with expressions are read. */
  texts: ExpressionTexts
}

/**
 * Everything that is wrong with a definition whose fields have the right types, at most `pipelineLimits.problems`. Its cost is up to the
 * customer, so it runs in a thread.
 */
export const problemsOfDefinition = (definition: PipelineDefinition, facts: DefinitionFacts): DefinitionProblem[] => {
  const { steps } = definition
  const problems: DefinitionProblem[] = []
  const note = (param: string, message: string): void => void problems.push({ param, message })

  if (steps.length === 0) note('steps', 'needs at least one step')
  if (steps.length > pipelineLimits.steps) {
    // Nothing else is checked: the work would grow with the size of a mistake.
    return [{ param: 'steps', message: `has ${steps.length} steps; at most ${pipelineLimits.steps} are allowed` }]
  }
  const keys = new Set<string>()
  for (const [at, step] of steps.entries()) {
    const place = `steps.${at}`
    const fault = keyFault(step.key, keys)
    if (fault !== null) note(`${place}.key`, fault)
    keys.add(step.key)
    for (const { param, message } of plainProblems(step, facts)) note(`${place}.${param}`, message)
  }
  problems.push(...dependencyProblems(steps, keys), ...expressionProblems(definition, facts))
  return problems.slice(0, pipelineLimits.problems)
}

const keyPattern = /^[a-z][a-z0-9_]*$/
// CEL does not read these after a dot.
const reservedKeys = ['true', 'false', 'null', 'in']

const keyFault = (key: string, earlier: ReadonlySet<string>): string | null => {
  if (earlier.has(key)) return `is used by another step: ${key}`
  if (key.length > pipelineLimits.keyChars) return `has at most ${pipelineLimits.keyChars} characters`
  if (!keyPattern.test(key)) return 'begins with a small letter and has small letters, digits and _'
  return reservedKeys.includes(key) ? `cannot be ${key}, which is a word of expressions` : null
}

/** Problems that concern one step and no expression. */
const plainProblems = (step: PipelineStep, { agents }: DefinitionFacts): DefinitionProblem[] => [
  ...(isApproval(step) ? approvalProblems(step) : agentProblems(step, agents)),
]

const approvalProblems = (step: ApprovalStep): DefinitionProblem[] => {
  const { approval, timeout_seconds } = step
  const { approvalMessageChars, approvalTimeoutSeconds } = pipelineLimits
  const length = approval.message.length
  return [
    ...agentFields
      .filter((field) => Object.hasOwn(step, field))
      .map((param) => ({ param, message: 'does not belong to an approval step' })),
    ...(length < 1 || length > approvalMessageChars
      ? [{ param: 'approval.message', message: `has 1 to ${approvalMessageChars} characters` }]
      : []),
    ...range('timeout_seconds', timeout_seconds, approvalTimeoutSeconds),
  ]
}

const agentFields = ['agent_id', 'input', 'for_each', 'max_parallel', 'on_item_error', 'retry'] as const
const itemFields = ['max_parallel', 'on_item_error'] as const

const agentProblems = (step: AgentStep, agents: DefinitionFacts['agents']): DefinitionProblem[] => {
  const { agent_id, max_parallel, retry, timeout_seconds } = step
  if (agent_id === undefined) return [{ param: 'agent_id', message: 'is required, unless the step is an approval' }]
  const codes = retry?.on ?? []
  return [
    ...(agents.has(agent_id) ? [] : [{ param: 'agent_id', message: `names no agent: ${agent_id}` }]),
    ...(step.for_each === undefined
      ? itemFields.filter((field) => step[field] !== undefined).map((param) => ({ param, message: 'needs for_each' }))
      : []),
    ...range('max_parallel', max_parallel, pipelineLimits.maxParallel),
    ...range('timeout_seconds', timeout_seconds, pipelineLimits.stepTimeoutSeconds),
    ...range('retry.attempts', retry?.attempts, pipelineLimits.retryAttempts),
    ...(retry && (codes.length === 0 || codes.length > pipelineLimits.retryCodes)
      ? [{ param: 'retry.on', message: `names 1 to ${pipelineLimits.retryCodes} error codes` }]
      : []),
    ...codes.flatMap((code, at) =>
      /^[a-z][a-z0-9_]{0,63}$/.test(code) ? [] : [{ param: `retry.on.${at}`, message: 'is not an error code' }],
    ),
  ]
}

const range = (param: string, value: number | undefined, max: number): DefinitionProblem[] =>
  value === undefined || (Number.isInteger(value) && value >= 1 && value <= max)
    ? []
    : [{ param, message: `is a whole number from 1 to ${max}` }]

const dependencyProblems = (steps: readonly PipelineStep[], keys: ReadonlySet<string>): DefinitionProblem[] => {
  const places = new Map(steps.map(({ key }, at) => [key, at]))
  const named = steps.flatMap(({ depends_on = [] }, at) =>
    depends_on.flatMap((key, index) => {
      const param = `steps.${at}.depends_on.${index}`
      if (!keys.has(key)) return [{ param, message: `names no step: ${key}` }]
      return depends_on.indexOf(key) < index ? [{ param, message: `names ${key} twice` }] : []
    }),
  )
  const circles = orderSteps(steps).circles.map((circle) => ({
    param: `steps.${places.get(circle[0] ?? '')}.depends_on`,
    message: `The steps depend on each other in a circle: ${[...circle, circle[0]].join(' → ')}`,
  }))
  return [...named, ...circles]
}

const expressionProblems = (
  definition: PipelineDefinition,
  { agents, check, texts }: DefinitionFacts,
): DefinitionProblem[] => {
  const { steps, output } = definition
  const ancestors = ancestorsOf(steps)
  const everyKey = new Set(steps.map(({ key }) => key))
  const types = objectTypeOf(Object.fromEntries(steps.map((step) => [step.key, stepType(step, agents)])))
  const shared = scopeVariables(types)
  const problems: DefinitionProblem[] = []
  let expressions = 0

  type Scope = { variables: ScopedExpression['variables']; mayRead: ReadonlySet<string>; own: string | null }

  const checkSource = (
    at: { param: string; offset: number },
    expression: Omit<ScopedExpression, 'variables'>,
    scope: Scope,
  ) => {
    expressions++
    if (expressions === pipelineLimits.expressions + 1)
      problems.push({ param: 'steps', message: `has more than ${pipelineLimits.expressions} expressions` })
    if (expressions > pipelineLimits.expressions || problems.length >= pipelineLimits.problems) return
    const found = check({ ...expression, variables: scope.variables })
    const unreadable = found.references.flatMap(({ path, position }) => {
      const message = referenceFault(path, scope, everyKey)
      return message === null ? [] : [{ message, position }]
    })
    for (const { message, position } of [...found.problems, ...unreadable].sort((a, b) => a.position - b.position))
      problems.push({ param: at.param, message, position: at.offset + position })
  }

  const checkText = (param: string, text: string | undefined, wanted: 'bool' | 'list', scope: Scope): void => {
    if (text === undefined) return
    const { source, offset } = texts.readExpressionText(text)
    checkSource({ param, offset }, { source, wanted }, scope)
  }

  const checkTemplate = (param: string, value: JsonValue | undefined, scope: Scope): void => {
    if (value === undefined) return
    const template = texts.parseTemplate(value)
    const paramOf = (path: readonly (string | number)[]): string => [param, ...path].join('.')
    for (const { path, offset, message } of template.problems)
      problems.push({ param: paramOf(path), message, position: offset })
    for (const { path, offset, source } of template.placeholders.slice(0, texts.maxPlaceholders))
      if (source !== '') checkSource({ param: paramOf(path), offset }, { source, wanted: 'any' }, scope)
  }

  for (const [at, step] of steps.entries()) {
    // The steps of a circle have no order; that they may read nothing is not a second mistake.
    const mayRead = ancestors.get(step.key) ?? everyKey
    const before: Scope = { variables: shared, mayRead, own: step.key }
    checkText(`steps.${at}.when`, step.when, 'bool', before)
    if (isApproval(step)) {
      checkTemplate(`steps.${at}.approval.message`, step.approval.message, before)
      continue
    }
    checkText(`steps.${at}.for_each`, step.for_each, 'list', before)
    const inside = hasItems(step) ? { ...shared, ...itemVariables } : shared
    checkTemplate(`steps.${at}.input`, step.input, { ...before, variables: inside })
  }
  checkTemplate('output', output, { variables: shared, mayRead: everyKey, own: null })
  return problems
}

/** What `steps.<key>` is in an expression. */
const stepType = (step: PipelineStep, agents: DefinitionFacts['agents']): ValueType => {
  const result = isApproval(step)
    ? objectTypeOf({ payload: typeOfSchema(step.approval.response_schema), comment: anyText })
    : typeOfSchema(agents.get(step.agent_id)?.outputSchema)
  return stepVariable(hasItems(step) ? listTypeOf(result) : result)
}

/** Null: the step is there and has ended when the expression is evaluated, or the checker has said that it is not there. */
const referenceFault = (
  [variable, key]: readonly string[],
  { mayRead, own }: { mayRead: ReadonlySet<string>; own: string | null },
  everyKey: ReadonlySet<string>,
): string | null => {
  if (variable !== 'steps') return null
  if (key === undefined) return 'Name one step, such as steps.first.output'
  if (key === own) return 'A step cannot read its own output'
  if (mayRead.has(key) || !everyKey.has(key)) return null
  return `Step ${own} does not depend on ${key}. Add ${key} to its depends_on`
}
