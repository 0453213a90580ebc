import type { Answer, ClientModel, ClientOperation, Field, Resource } from './client-model.ts'
import { capital, constant, docstring, literal, note, pythonName, snake } from './sdk-python-text.ts'
import { receivedType, sentType } from './sdk-python-types.ts'

/** Hand-written methods that a generated resource also has: the class, and how the asynchronous client calls it. */
const additions: Readonly<Record<string, { sync: string; async: string }>> = {
  batches: { sync: 'BatchHelpers', async: 'AsyncBatchHelpers' },
  runs: { sync: 'RunHelpers', async: 'AsyncRunHelpers' },
  webhooks: { sync: 'WebhookReceiver', async: 'WebhookReceiver' },
}

/** Resources with `create_and_wait`, whose parameters are those of `create`. */
const waitedFor: Readonly<Record<string, { summary: string; docs: string }>> = {
  runs: {
    summary: 'Create a run and wait until it has ended',
    docs: 'However long it takes, or until it waits for a person: then `status` is `requires_action`. A failed run is no error.',
  },
  batches: { summary: 'Create a batch and wait until it has ended', docs: 'However long it takes.' },
}

/** Every operation as data. */
export const operationsFile = (model: ClientModel): string => {
  const operations = model.resources.flatMap((resource) => resource.operations)
  const rows = operations.map((operation) => {
    const query = operation.query.length > 0 ? 'query' : undefined
    const takes = operation.body ? 'body' : query
    const fields = [
      `id=${literal(operation.id)}`,
      `method=${literal(operation.method)}`,
      `path=${literal(operation.path)}`,
      takes && `takes=${literal(takes)}`,
      operation.body && !operation.body.required && 'has_optional_body=True',
      operation.idempotent && 'idempotent=True',
      operation.waits && 'waits=True',
      operation.anonymous && 'anonymous=True',
    ]
    return `${constant(operation.id)} = Operation(${fields.filter(Boolean).join(', ')})\n`
  })
  const names = operations.map(({ id }) => `    ${literal(id)}: ${constant(id)},\n`)
  return `${note}
from .._operation import Operation

${rows.join('')}
OPERATIONS: dict[str, Operation] = {
${names.join('')}}
"""Every operation by its \`operationId\`."""
`
}

/** The resources of the synchronous or of the asynchronous client. They differ in a few words. */
export const resourcesFile = (model: ClientModel, kind: 'sync' | 'async'): string => {
  const words = kind === 'sync' ? syncWords : asyncWords
  const classes = model.resources.map((resource) => resourceClass(model, resource, words))
  const streams = `from ..${words.streams} import ${words.prefix}RunStream, ${words.prefix}Stream`
  return `${note}
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

${words.first ? `${words.first}\n` : ''}from .._caller import ${words.caller}
from .._operation import OMIT, Call, Omit
from .._pages import ${words.page}
from .._stream_state import StreamPlan
${words.first ? '' : `${streams}\n`}from .._waiting import ${words.helpers}
from ..webhooks import WebhookReceiver
from . import models, operations, params

${classes.join('\n')}

class ${words.prefix}Resources:
    """One attribute for each resource."""

    def __init__(self, caller: ${words.prefix}Caller) -> None:
${model.resources.map(({ name, docs }) => `        self.${snake(name)} = ${words.prefix}${capital(name)}(caller)\n${docstring(docs, '        ')}`).join('')}
__all__ = [
    "${words.prefix}Resources",
${model.resources.map(({ name }) => `    "${words.prefix}${capital(name)}",\n`).join('')}]
`
}

type Words = {
  prefix: '' | 'Async'
  streams: string
  /** An import that sorts before the others. */
  first: string
  caller: string
  helpers: string
  page: string
  define: string
  wait: string
  raw: string
  rawList: string
}

const syncWords: Words = {
  prefix: '',
  streams: '_streams',
  first: '',
  caller: 'Caller, Resource, raw_method',
  helpers: 'BatchHelpers, RunHelpers',
  page: 'Page',
  define: 'def',
  wait: '',
  raw: 'raw_method',
  rawList: 'raw_method',
}

const asyncWords: Words = {
  prefix: 'Async',
  streams: '_async_streams',
  first: 'from .._async_streams import AsyncRunStream, AsyncStream',
  caller: 'AsyncCaller, AsyncResource, async_raw_list, async_raw_method',
  helpers: 'AsyncBatchHelpers, AsyncRunHelpers',
  page: 'AsyncPages',
  define: 'async def',
  wait: 'await ',
  raw: 'async_raw_method',
  rawList: 'async_raw_list',
}

const resourceClass = (model: ClientModel, { name, docs, operations }: Resource, words: Words): string => {
  const own = words.prefix + capital(name)
  const bases = [additions[name]?.[words.prefix === '' ? 'sync' : 'async'], `${words.prefix}Resource`]
    .filter(Boolean)
    .join(', ')
  const plain = operations.filter(({ answer }) => answer.kind !== 'stream')
  const raws = plain.map(
    (operation) =>
      `        self.${snake(operation.name)} = ${operation.answer.kind === 'page' ? words.rawList : words.raw}(raw.${snake(operation.name)})\n`,
  )
  return `
class ${own}(${bases}):
${docstring(docs, '    ')}
    @property
    def with_raw_response(self) -> ${own}WithRawResponse:
        """The same methods, which return status and headers as well."""
        return ${own}WithRawResponse(self)

${[...operations.map((operation) => method(model, operation, words)), ...waiting(model, { name, operations }, words)].join('\n')}

class ${own}WithRawResponse:
    def __init__(self, ${snake(name)}: ${own}) -> None:
        raw = ${own}(${snake(name)}._caller.raw())
${raws.join('')}`
}

/** `create_and_wait` of a resource: the call of `create`, whose result is waited for. */
const waiting = (
  model: ClientModel,
  { name, operations }: Pick<Resource, 'name' | 'operations'>,
  words: Words,
): string[] => {
  const added = waitedFor[name]
  const create = operations.find((operation) => operation.name === 'create')
  if (!added || !create) return []
  const { summary, docs } = added
  const operation = { ...create, name: 'createAndWait', summary, docs: [docs, ...create.docs.slice(-1)], waits: false }
  return [method(model, operation, words, `${words.wait}self._create_and_wait`)]
}

type Argument = { name: string; type: string; required: boolean; docs: string }

const method = (model: ClientModel, operation: ClientOperation, words: Words, act?: string): string => {
  const { answer } = operation
  const sent = sentFields(model, operation)
  const ids = operation.pathParameters.map((each) => argument(model, each))
  const fields = sent.map((each) => argument(model, each))
  const options = optionsOf(operation)
  const names = [...ids, ...fields, ...options].map(({ name }) => name)
  const twice = names.find((name, n) => names.indexOf(name) !== n)
  if (twice) throw new Error(`${operation.id} has two parameters called ${twice}`)
  const listed = [...fields, ...options].map((each) => `        ${each.name}: ${declared(each)},\n`)
  const define = answer.kind === 'record' ? words.define : 'def'
  const head = `    ${define} ${snake(operation.name)}(\n        self,\n${ids
    .map(({ name, type }) => `        ${name}: ${type},\n`)
    .join('')}        *,\n${listed.join('')}    ) -> ${returned(answer, words)}:\n`
  return head + docstring(docsOf(operation, [...ids, ...fields]), '        ') + bodyOf(operation, sent, words, act)
}

/** Required parameters come first: they have no default. */
const sentFields = (model: ClientModel, operation: ClientOperation): readonly Field[] => {
  const form = operation.body && model.types.find(({ name }) => name === operation.body?.type)
  if (form && form.kind !== 'object') throw new Error(`${operation.id} takes a union, which has no parameters`)
  const fields: readonly Field[] = form ? form.fields : operation.query
  return fields.toSorted((one, other) => Number(other.required) - Number(one.required))
}

const argument = (model: ClientModel, field: Field): Argument => ({
  name: pythonName(field.name),
  type: argumentType(model, field),
  required: field.required,
  docs: field.docs,
})

/** A list in a query can also be one item. */
const argumentType = (model: ClientModel, field: Field): string => {
  const { type } = field
  const written = sentType(model, type, 'params.')
  if (!('style' in field) || field.style !== 'comma' || type.kind !== 'list') return written
  const item = sentType(model, type.items, 'params.')
  return `${item} | ${written}`
}

const declared = ({ type, required }: Argument): string => {
  if (required) return type
  if (type.startsWith('?')) return `${type.slice(1)} | None = None`
  return type.endsWith(' | None') ? `${type.slice(0, -' | None'.length)} | Omit | None = OMIT` : `${type} | Omit = OMIT`
}

/** The options of a call. The type of one that is None by default begins with `?`. */
const optionsOf = ({ answer, idempotent, waits }: ClientOperation): Argument[] => {
  const option = (name: string, type: string): Argument => ({ name, type: `?${type}`, required: false, docs: '' })
  return [
    ...(idempotent ? [option('idempotency_key', 'str')] : []),
    ...(waits ? [option('wait', 'int | Literal[False]')] : []),
    ...(answer.kind === 'stream'
      ? [option('last_event_id', 'str'), option('idle_timeout', 'float'), option('resume_for', 'float')]
      : []),
    option('timeout', 'float'),
    option('max_retries', 'int'),
    option('extra_headers', 'Mapping[str, str]'),
  ]
}

const docsOf = ({ summary, docs }: ClientOperation, parameters: readonly Argument[]): string => {
  const described = parameters.filter(({ docs: words }) => words !== '')
  const lines = described.map(({ name, docs: words }) => `    ${name}: ${words.replaceAll('\n', ' ')}`)
  return [`${summary}.`, ...docs, ...(lines.length > 0 ? [`Args:\n${lines.join('\n')}`] : [])].join('\n\n')
}

const returned = (answer: Answer, { prefix, page }: Words): string => {
  if (answer.kind === 'record') return receivedType(answer.type, 'models.')
  if (answer.kind === 'page') return `${page}[${receivedType(answer.item, 'models.')}]`
  const frame = receivedType(answer.frame, 'models.')
  return answer.ends ? `${prefix}RunStream[${frame}, models.Run]` : `${prefix}Stream[${frame}]`
}

const bodyOf = (operation: ClientOperation, sent: readonly Field[], words: Words, waits?: string): string => {
  const { answer } = operation
  const ids = operation.pathParameters.map(({ name }) => pythonName(name))
  const given = [
    `operations.${constant(operation.id)}`,
    `[${ids.join(', ')}]`,
    sent.length > 0
      ? `{\n${sent.map(({ name }) => `                ${literal(name)}: ${pythonName(name)},\n`).join('')}            }`
      : 'None',
    ...optionsOf(operation)
      .filter(({ name }) => !['last_event_id', 'idle_timeout', 'resume_for'].includes(name))
      .map(({ name }) => `${name}=${name}`),
  ]
  const call = `        call = Call(\n${given.map((each) => `            ${each},\n`).join('')}        )\n`
  if (answer.kind === 'stream') {
    const frame = receivedType(answer.frame, 'models.')
    return `${call}        plan = StreamPlan(
            call,
            resumed_by=operations.${constant(answer.resumedBy)},
            ends=${literal(answer.ends)},
            frame=${frame},
            run=models.Run,
            last_event_id=last_event_id,
            idle_timeout=idle_timeout,
            resume_for=resume_for,
        )
        return self._caller.${answer.ends ? 'run_stream' : 'event_stream'}(plan)
`
  }
  if (waits) return `${call}        result: ${returned(answer, words)} = ${waits}(call)\n        return result\n`
  const form = receivedType(answer.kind === 'page' ? answer.item : answer.type, 'models.')
  const act = answer.kind === 'page' ? 'self._caller.page' : `${words.wait}self._caller.record`
  return `${call}        result: ${returned(answer, words)} = ${act}(${form}, call)\n        return result\n`
}
