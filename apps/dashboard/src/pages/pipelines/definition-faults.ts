import { ApiError } from '@agent-run-service/sdk'
import { refusalsOf } from '../../api/problem.ts'
import { jsonFault } from '../../ui/json-fault.ts'
import { jsonPlace, lineAndColumn, pathOfParam, type TextPart } from '../../ui/json-place.ts'

/** A fault of a definition, and where it stands in its text. */
export type DefinitionFault = {
  /** Such as `steps.2.when`; empty for the whole. */
  path: string
  message: string
  line: number
  column: number
  part: TextPart
}

type Problem = { param: string; message: string; position?: number | null }

export const faultsOfProblems = (problems: readonly Problem[], text: string): readonly DefinitionFault[] =>
  problems.map(({ param, message, position }) => {
    const [root, ...inner] = pathOfParam(param)
    const path = root === 'definition' ? inner : pathOfParam(param)
    const part = jsonPlace(text, path, position ?? null)
    return { path: path.join('.'), message, part, ...lineAndColumn(text, part.from) }
  })

/** What a refusal says about the definition. Empty if it is about something else. */
export const faultsOfError = (error: unknown, text: string): readonly DefinitionFault[] => {
  const named = refusalsOf(error).filter(({ param }) => pathOfParam(param)[0] === 'definition')
  const positions = new Map(
    (error instanceof ApiError ? error.details : []).flatMap((detail) => {
      const { param, message, position } = (detail ?? {}) as Partial<Problem>
      return typeof position === 'number' ? [[`${param} ${message}`, position] as const] : []
    }),
  )
  return faultsOfProblems(
    named.map((each) => ({ ...each, position: positions.get(`${each.param} ${each.message}`) ?? null })),
    text,
  )
}

/** The fault of a text that is no JSON. */
export const jsonFaults = (text: string): readonly DefinitionFault[] => {
  const message = jsonFault(text)
  if (message === '') return []
  const line = Number(/line (\d+)/.exec(message)?.[1] ?? 1)
  const from =
    text
      .split('\n')
      .slice(0, line - 1)
      .join('\n').length + (line > 1 ? 1 : 0)
  const end = text.indexOf('\n', from)
  return [{ path: '', message, line, column: 1, part: { from, to: end < 0 ? text.length : end } }]
}
