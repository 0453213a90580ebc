import type { ClientModel, Field, TypeUse } from '../client-model.ts'
import { hasOutputText } from '../output-text.ts'
import { type Call, findCall } from './find-call.ts'
import { isEnvironment } from './page.ts'
import type { Request, Statement, Text } from './request.ts'
import { ShellOnly } from './shell.ts'

/** A block as the steps of a program, in no language. Names are snake_case. */
export type Line = {
  /** What a variable of the shell is in the program at this step. */
  readonly refs: Refs
} & (
  | { readonly kind: 'setup' }
  /** The answer of a call gets a name. */
  | { readonly kind: 'answer'; readonly name: string; readonly call: Call }
  /** A part of an answer gets a name. */
  | { readonly kind: 'value'; readonly name: string; readonly from: Source; readonly path: Path }
  | { readonly kind: 'print'; readonly from: Source; readonly path: Path }
  | { readonly kind: 'frames'; readonly call: Call }
  | { readonly kind: 'text'; readonly name: string; readonly text: Text }
  | { readonly kind: 'wait'; readonly call: Call }
  | { readonly kind: 'sleep'; readonly seconds: number }
)

export type Source = { readonly call: Call } | { readonly name: string }

/** The way into an answer. */
export type Path = readonly Step[]
export type Step =
  | { readonly kind: 'field'; readonly field: Field }
  /** A field of a page of a list. */
  | { readonly kind: 'page'; readonly name: 'data' | 'has_more' | 'first_id' | 'last_id'; readonly nullable: boolean }
  | { readonly kind: 'index'; readonly at: number }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'output_text' }

export type Ref = { readonly name: string; readonly path: Path; readonly answer?: Call }
export type Refs = ReadonlyMap<string, Ref>

/** The steps of the blocks of a page. A block that has none stays a shell block for the reason of the error. */
export const planBlock = (
  model: ClientModel,
  statements: readonly Statement[],
  before: Refs,
): { lines: Line[]; refs: Refs } => {
  const refs = new Map(before)
  const lines: Line[] = []
  for (const statement of statements) {
    const line = lineOf(model, statement, refs)
    if (line) lines.push({ ...line, refs: new Map(refs) })
    const ref = savedBy(model, statement, refs)
    if (ref && 'save' in statement && statement.save !== undefined) refs.set(statement.save, ref)
  }
  return { lines, refs }
}

type Bare<Each> = Each extends unknown ? Omit<Each, 'refs'> : never

const lineOf = (model: ClientModel, statement: Statement, refs: Refs): Bare<Line> | undefined => {
  switch (statement.kind) {
    case 'setup':
    case 'sleep':
      return statement
    case 'text':
      return { kind: 'text', name: nameOf(statement.save), text: statement.text }
    case 'agent': {
      const call = agentCall(model, statement.agent)
      return { kind: 'value', name: nameOf(statement.save), from: { call }, path: pathOf(model, call, 'data.0.id') }
    }
    case 'wait':
      return waitLine(model, statement)
    case 'field': {
      const ref = refOf(refs, statement.of)
      if (!ref.answer) throw new ShellOnly(`$${statement.of} is no answer of a call`)
      const path = pathOf(model, ref.answer, statement.field)
      if (statement.save === undefined) return { kind: 'print', from: { name: ref.name }, path }
      // An id gets no name: `webhook.id`.
      if (statement.field === 'id') return undefined
      return { kind: 'value', name: nameOf(statement.save), from: { name: ref.name }, path }
    }
    case 'request':
      return requestLine(model, statement, refs)
  }
}

const requestLine = (
  model: ClientModel,
  { request, field, save }: Extract<Statement, { kind: 'request' }>,
  refs: Refs,
): Bare<Line> => {
  const call = findCall(model, request)
  if (call.operation.answer.kind === 'stream') {
    if (save !== undefined || field !== undefined) throw new ShellOnly('it reads a field of a stream')
    return { kind: 'frames', call }
  }
  if (save !== undefined && (field === undefined || field === 'id'))
    return { kind: 'answer', name: answerName(call, save, refs), call }
  const path = field === undefined ? [] : pathOf(model, call, field)
  if (save === undefined) return { kind: 'print', from: { call }, path }
  return { kind: 'value', name: nameOf(save), from: { call }, path }
}

const waitLine = (model: ClientModel, { request, field, value }: Extract<Statement, { kind: 'wait' }>): Bare<Line> => {
  const call = findCall(model, request)
  if (!['runs.get', 'batches.get'].includes(call.operation.id) || field !== 'status' || value !== 'completed')
    throw new ShellOnly(`the SDKs have no method that waits for ${call.operation.id}`)
  return { kind: 'wait', call }
}

/** What the variable that a statement saves is in the program. */
const savedBy = (model: ClientModel, statement: Statement, refs: Refs): Ref | undefined => {
  if (!('save' in statement) || statement.save === undefined) return undefined
  const name = nameOf(statement.save)
  if (statement.kind === 'field' && statement.field === 'id') {
    const { name: owner, answer } = refOf(refs, statement.of)
    return { name: owner, path: answer ? pathOf(model, answer, 'id') : [] }
  }
  if (statement.kind !== 'request') return { name, path: [] }
  const call = findCall(model, statement.request)
  if (statement.field === undefined) return { name: answerName(call, statement.save, refs), path: [], answer: call }
  if (statement.field !== 'id') return { name, path: [] }
  return { name: answerName(call, statement.save, refs), path: pathOf(model, call, 'id') }
}

/** The answer that `$id` belongs to has the name of its resource; any other variable keeps its name. */
const answerName = ({ resource }: Call, save: string, refs: Refs): string => {
  if (save !== 'id') return nameOf(save)
  const name = nounOf(resource.name)
  const isTaken = [...refs].some(([variable, ref]) => variable !== 'id' && ref.name === name)
  return isTaken ? `new_${name}` : name
}

/** `apiKeys` → `api_key` */
export const nounOf = (resource: string): string =>
  nameOf(resource)
    .replace(/ies$/, 'y')
    .replace(/(ch)es$/, '$1')
    .replace(/([^s])s$/, '$1')

const nameOf = (name: string): string =>
  isEnvironment(name) ? name.toLowerCase() : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const refOf = (refs: Refs, variable: string): Ref => {
  const ref = refs.get(variable)
  if (!ref) throw new ShellOnly(`$${variable} is a value of a block that no program can read`)
  return ref
}

const agentCall = (model: ClientModel, agent: string): Call =>
  findCall(model, {
    method: 'GET',
    path: ['/agents'],
    query: [{ name: 'q', value: [agent], isEncoded: false }],
    headers: [],
    showsHeaders: false,
  } satisfies Request)

const pathOf = (model: ClientModel, { operation: { answer, id } }: Call, dotted: string): Path => {
  const keys = dotted.split('.')
  if (answer.kind === 'stream') throw new ShellOnly(`${id} is a stream`)
  if (answer.kind === 'record') return stepsInto(model, answer.type, keys)
  const [name = '', index, ...others] = keys
  if (name !== 'data' && name !== 'has_more' && name !== 'first_id' && name !== 'last_id')
    throw new ShellOnly(`a page of a list has no ${name}`)
  const page = { kind: 'page', name, nullable: name.endsWith('_id') } as const
  if (index === undefined) return [page]
  return [page, { kind: 'index', at: Number(index) }, ...stepsInto(model, answer.item, others)]
}

const stepsInto = (model: ClientModel, type: TypeUse, [key, ...others]: readonly string[]): Step[] => {
  if (key === undefined) return []
  if (type.kind === 'list') return [{ kind: 'index', at: Number(key) }, ...stepsInto(model, type.items, others)]
  if (type.kind === 'map') return [{ kind: 'key', key }, ...stepsInto(model, type.values, others)]
  const form = type.kind === 'named' ? model.types.find(({ name }) => name === type.name) : undefined
  if (form?.kind !== 'object') throw new ShellOnly(`no program can read ${key} without a question for its type`)
  if (hasOutputText(form.name) && key === 'output' && others[0] === 'result') return [{ kind: 'output_text' }]
  const field = form.fields.find(({ name }) => name === key)
  if (!field) throw new ShellOnly(`${form.name} has no field ${key}`)
  return [{ kind: 'field', field }, ...stepsInto(model, field.type, others)]
}

/** The value at this step can be null or absent. */
export const canBeNull = (step: Step): boolean => {
  if (step.kind === 'field') return step.field.type.nullable || !step.field.required
  return step.kind === 'page' ? step.nullable : step.kind === 'output_text'
}
