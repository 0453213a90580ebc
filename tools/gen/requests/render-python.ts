import type { TypeUse } from '../client-model.ts'
import { fieldName, literal, pythonName, snake } from '../sdk-python-text.ts'
import type { Call } from './find-call.ts'
import { around, type Group, group, type Item, type Layout, printLayout } from './layout.ts'
import { blockNames, type Names } from './names.ts'
import { isEnvironment } from './page.ts'
import { canBeNull, type Line, nounOf, type Path, type Refs, refOf } from './plan.ts'
import type { Json, Text, TextPart } from './request.ts'

const style = { unit: '    ', width: 80 }

export const pythonSetup = `from agent_run_service import AgentRunService

client = AgentRunService()  # reads ARS_BASE_URL and ARS_API_KEY
`

/** The steps of a block with the Python SDK. */
export const renderPython = (lines: readonly Line[]): string => {
  const names = blockNames()
  const body = lines.map((line) => `${lineText(line, names)}\n`).join('')
  const imports = [
    ...(/\bos\./.test(body) ? ['import os\n'] : []),
    ...(/\btime\./.test(body) ? ['import time\n'] : []),
    ...importOfDates(body),
  ]
  return imports.length > 0 ? `${imports.join('')}\n${body}` : body
}

const importOfDates = (body: string): string[] => {
  const used = ['datetime', 'timedelta', 'timezone'].filter((name) => new RegExp(`\\b${name}[.(]`).test(body))
  return used.length > 0 ? [`from datetime import ${used.join(', ')}\n`] : []
}

const print = (layout: Layout): string => printLayout(layout, style)

const lineText = (line: Line, names: Names): string => {
  const { refs } = line
  switch (line.kind) {
    case 'setup':
      return pythonSetup.trimEnd()
    case 'answer':
      names.add(line.name)
      return print(around(`${snake(line.name)} = `, callOf(line.call, refs)))
    case 'value': {
      names.add(line.name)
      const name = snake(line.name)
      const { before, text } = reached(line, names)
      const last = line.path.at(-1)
      const check = last && canBeNull(last) ? [`assert ${name} is not None`] : []
      return [...before, print(around(`${name} = `, text)), ...check].join('\n')
    }
    case 'print': {
      if ('call' in line.from && line.from.call.showsHeaders) return withHeaders(line.from.call, refs)
      const { before, text } = reached(line, names)
      return [...before, print(around('print(', text, ')'))].join('\n')
    }
    case 'frames':
      return `${print(around('with ', callOf(line.call, refs), ' as frames:'))}\n    for frame in frames:\n        print(frame)`
    case 'text':
      return `${snake(line.name)} = ${textOf(line.text, refs)}`
    case 'wait':
      return `client.${snake(line.call.resource.name)}.wait(${line.call.ids.map(({ value, type }) => print(jsonOf(value, type, refs))).join('')})`
    case 'sleep':
      return `time.sleep(${line.seconds})`
  }
}

const withHeaders = (call: Call, refs: Refs): string =>
  `${print(around('raw = ', callOf(call, refs, 'with_raw_response.')))}\nprint(raw.status_code, raw.headers, raw.parse())`

type Reading = Extract<Line, { kind: 'value' | 'print' }>

/** The value at the path, and what comes before: a name for the answer, and checks of what can be absent. */
const reached = ({ from, path, refs }: Reading, names: Names): { before: string[]; text: Layout } => {
  if ('name' in from) return { before: checksOf(snake(from.name), path), text: snake(from.name) + pathText(path) }
  const { answer } = from.call.operation
  const whole = path.length === 0 && answer.kind === 'page' ? '.data' : pathText(path)
  const call = callOf(from.call, refs)
  const isShort = !print(around('print(', call, `)${whole}`)).includes('\n')
  if (path.slice(0, -1).some(canBeNull) || !isShort) {
    const { name } = names.take(answer.kind === 'page' ? 'page' : nounOf(from.call.resource.name), refs)
    return { before: [print(around(`${name} = `, call)), ...checksOf(name, path)], text: name + whole }
  }
  return { before: [], text: around('', call, whole) }
}

/** Type checkers want to know that what lies on the way is there. */
const checksOf = (name: string, path: Path): string[] =>
  path.slice(0, -1).flatMap((step, at) => (canBeNull(step) ? [`assert ${name}${pathText(path.slice(0, at + 1))}`] : []))

const pathText = (path: Path): string =>
  path
    .map((step) => {
      if (step.kind === 'index') return `[${step.at}]`
      if (step.kind === 'key') return `[${literal(step.key)}]`
      if (step.kind === 'field') return `.${fieldName(step.field.name)}`
      return step.kind === 'page' ? `.${step.name}` : '.output_text'
    })
    .join('')

const callOf = (call: Call, refs: Refs, form = ''): Group => {
  const { resource, operation, ids, fields } = call
  const named = (name: string, value: Layout): Item => ({ head: `${name}=`, value })
  const items = [
    ...ids.map(({ value, type }): Item => ({ value: jsonOf(value, type, refs) })),
    ...fields.map(({ field, value }) => named(pythonName(field.name), jsonOf(value, field.type, refs))),
    ...(call.wait === undefined ? [] : [named('wait', literal(call.wait))]),
    ...(call.idempotencyKey ? [named('idempotency_key', textOf(call.idempotencyKey, refs))] : []),
    ...(call.lastEventId ? [named('last_event_id', textOf(call.lastEventId, refs))] : []),
    ...(call.headers.length > 0 ? [named('extra_headers', headersOf(call, refs))] : []),
  ]
  return { open: `client.${snake(resource.name)}.${form}${snake(operation.name)}(`, items, close: ')' }
}

const headersOf = ({ headers }: Call, refs: Refs): Group =>
  dictionary(headers.map(({ name, value }) => [name, textOf(value, refs)]))

const dictionary = (members: readonly (readonly [string, Layout])[]): Group => ({
  open: '{',
  items: members.map(([name, value]) => ({ head: `${literal(name)}: `, value })),
  close: '}',
})

/** Only at the top a date is a `datetime`; inside of a dictionary it stays JSON. */
const jsonOf = (json: Json, type: TypeUse | undefined, refs: Refs): Layout => {
  if (json === null || typeof json !== 'object') return literal(json)
  const inner = type?.kind === 'list' ? type.items : undefined
  if (Array.isArray(json))
    return group(
      '[',
      json.map((each) => jsonOf(each, inner, refs)),
      ']',
    )
  if ('bare' in json) return partOf(json.bare, refs)
  if ('quoted' in json) return type?.kind === 'datetime' ? dateOf(json.quoted, refs) : textOf(json.quoted, refs)
  return 'fields' in json ? dictionary(json.fields.map(([name, value]) => [name, jsonOf(value, undefined, refs)])) : ''
}

const dateOf = (text: Text, refs: Refs): string => {
  const [only = ''] = text
  if (typeof only === 'string') return `datetime.fromisoformat(${literal(only.replace(/Z$/, '+00:00'))})`
  return partOf(only, refs)
}

const textOf = (text: Text, refs: Refs): string => {
  const [only = '', ...others] = text
  if (others.length === 0) return partOf(only, refs)
  const parts = text.map((part) => partOf(part, refs))
  const isSimple = text.every((part, n) => typeof part === 'string' || !parts[n]?.includes('"'))
  if (!isSimple) return parts.join(' + ')
  const inner = text.map((part, n) =>
    typeof part === 'string' ? literal(part).slice(1, -1).replaceAll(/[{}]/g, '$&$&') : `{${parts[n]}}`,
  )
  return `f"${inner.join('')}"`
}

const partOf = (part: TextPart, refs: Refs): string => {
  if (typeof part === 'string') return literal(part)
  if ('agoMs' in part) return `datetime.now(timezone.utc) - timedelta(seconds=${part.agoMs / 1000})`
  if ('clock' in part)
    return part.clock === 'month' ? 'datetime.now(timezone.utc).strftime("%Y-%m")' : 'int(time.time())'
  if (isEnvironment(part.variable) && !refs.has(part.variable)) return `os.environ[${literal(part.variable)}]`
  const { name, path } = refOf(refs, part.variable)
  return snake(name) + pathText(path)
}
