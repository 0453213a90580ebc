import { camel, literal } from '../sdk-typescript-names.ts'
import type { Call } from './find-call.ts'
import { around, type Group, group, type Item, type Layout, printLayout } from './layout.ts'
import { blockNames, type Names } from './names.ts'
import { isEnvironment } from './page.ts'
import { canBeNull, type Line, nounOf, type Path, type Refs, refOf, type Step } from './plan.ts'
import type { Json, Text, TextPart } from './request.ts'

const style = { unit: '  ', width: 80 }

export const typescriptSetup = `import { AgentRunService } from '@agent-run-service/sdk'

const client = new AgentRunService() // reads ARS_BASE_URL and ARS_API_KEY
`

/** The steps of a block with the TypeScript SDK. */
export const renderTypescript = (lines: readonly Line[]): string => {
  const names = blockNames()
  return lines.map((line) => `${lineText(line, names)}\n`).join('')
}

const print = (layout: Layout): string => printLayout(layout, style)

const lineText = (line: Line, names: Names): string => {
  const { refs } = line
  switch (line.kind) {
    case 'setup':
      return typescriptSetup.trimEnd()
    case 'answer':
      names.add(line.name)
      return print(around(`const ${camel(line.name)} = await `, callOf(line.call, refs)))
    case 'value':
      names.add(line.name)
      return reading(line, names, { head: `const ${camel(line.name)} = `, tail: '', mark: '!' })
    case 'print':
      return reading(line, names, { head: 'console.log(', tail: ')', mark: '?' })
    case 'frames': {
      const whole = print(around('for await (const frame of ', callOf(line.call, refs), ') console.log(frame)'))
      if (!whole.includes('\n')) return whole
      const { name } = names.take('frames', refs)
      return `${print(around(`const ${name} = `, callOf(line.call, refs)))}\nfor await (const frame of ${name}) console.log(frame)`
    }
    case 'text':
      return `const ${camel(line.name)} = ${textOf(line.text, refs)}`
    case 'wait':
      return `await client.${line.call.resource.name}.wait(${line.call.ids.map(({ value }) => print(jsonOf(value, refs))).join('')})`
    case 'sleep':
      return `await new Promise((resolve) => setTimeout(resolve, ${line.seconds * 1000}))`
  }
}

const wantedName = ({ resource, operation, showsHeaders }: Call): string => {
  if (showsHeaders) return 'answer'
  return operation.answer.kind === 'page' ? 'page' : nounOf(resource.name)
}

type Frame = { readonly head: string; readonly tail: string; readonly mark: '?' | '!' }

/** On one line if it fits; otherwise the answer gets a name first. */
const reading = (
  { from, path, refs }: Extract<Line, { kind: 'print' | 'value' }>,
  names: Names,
  { head, tail, mark }: Frame,
): string => {
  if ('name' in from) return head + camel(from.name) + pathText(path, mark) + tail
  const { answer } = from.call.operation
  const call = callOf(from.call, refs)
  const sent = from.call.showsHeaders ? around('', call, '.withResponse()') : call
  const within = path.length === 0 && answer.kind === 'page' ? '.data' : pathText(path, mark)
  const whole = print(
    within === '' ? around(`${head}await `, sent, tail) : around(`${head}(await `, sent, `)${within}${tail}`),
  )
  if (!whole.includes('\n')) return whole
  const name = camel(names.take(wantedName(from.call), refs).name)
  return `${print(around(`const ${name} = await `, sent))}\n${head}${name}${within}${tail}`
}

/** Into what can be absent with `?.` where it is shown, and with `!` where the program goes on with it. */
const pathText = (path: Path, mark: '?' | '!'): string => {
  let text = ''
  let canBeAbsent = false
  for (const step of path) {
    const dot = canBeAbsent ? `${mark}.` : '.'
    if (step.kind === 'index') text += `${canBeAbsent ? dot.replace('!.', '!') : ''}[${step.at}]`
    else text += dot + wordOf(step)
    canBeAbsent = step.kind === 'index' || step.kind === 'key' || canBeNull(step)
  }
  return canBeAbsent && mark === '!' ? `${text}!` : text
}

const wordOf = (step: Exclude<Step, { kind: 'index' }>): string => {
  if (step.kind === 'field') return step.field.name
  if (step.kind === 'page') return camel(step.name)
  return step.kind === 'key' ? step.key : 'output_text'
}

const callOf = (call: Call, refs: Refs): Group => {
  const { resource, operation, ids, fields } = call
  const options = optionsOf(call, refs)
  const takes = operation.body !== undefined || operation.query.length > 0
  const hasParams = fields.length > 0 || (takes && options.length > 0) || operation.body?.required === true
  const params = object(fields.map(({ field, value }) => ({ name: field.name, value: jsonOf(value, refs) })))
  const values = [
    ...ids.map(({ value }) => jsonOf(value, refs)),
    ...(hasParams ? [params] : []),
    ...(options.length > 0 ? [object(options)] : []),
  ]
  return group(`client.${resource.name}.${operation.name}(`, values, ')', { hugs: true })
}

type Member = { readonly name: string; readonly value: Layout }

const optionsOf = ({ wait, idempotencyKey, lastEventId, headers }: Call, refs: Refs): Member[] => [
  ...(wait === undefined ? [] : [{ name: 'wait', value: String(wait) }]),
  ...(idempotencyKey ? [{ name: 'idempotencyKey', value: textOf(idempotencyKey, refs) }] : []),
  ...(lastEventId ? [{ name: 'lastEventId', value: textOf(lastEventId, refs) }] : []),
  ...(headers.length > 0
    ? [{ name: 'headers', value: object(headers.map(({ name, value }) => ({ name, value: textOf(value, refs) }))) }]
    : []),
]

const object = (members: readonly Member[]): Group => ({
  open: '{',
  items: members.map(({ name, value }): Item => {
    if (name === value) return { value }
    return { head: `${/^\w+$/.test(name) ? name : literal(name)}: `, value }
  }),
  close: '}',
  isPadded: true,
})

const jsonOf = (json: Json, refs: Refs): Layout => {
  if (json === null || typeof json !== 'object') return JSON.stringify(json)
  if (Array.isArray(json))
    return group(
      '[',
      json.map((each) => jsonOf(each, refs)),
      ']',
    )
  if ('bare' in json) return partOf(json.bare, refs)
  if ('quoted' in json) return textOf(json.quoted, refs)
  return 'fields' in json ? object(json.fields.map(([name, value]) => ({ name, value: jsonOf(value, refs) }))) : ''
}

const textOf = (text: Text, refs: Refs): string => {
  const [only = '', ...others] = text
  if (others.length === 0) return partOf(only, refs)
  const inner = text.map((part) =>
    typeof part === 'string' ? part.replaceAll(/[`\\$]/g, '\\$&') : `\${${partOf(part, refs)}}`,
  )
  return `\`${inner.join('')}\``
}

const partOf = (part: TextPart, refs: Refs): string => {
  if (typeof part === 'string') return literal(part)
  if ('agoMs' in part) return `new Date(Date.now() - ${part.agoMs.toLocaleString('en').replaceAll(',', '_')})`
  if ('clock' in part)
    return part.clock === 'month' ? 'new Date().toISOString().slice(0, 7)' : 'Math.floor(Date.now() / 1000)'
  if (isEnvironment(part.variable) && !refs.has(part.variable)) return `process.env.${part.variable}!`
  const { name, path } = refOf(refs, part.variable)
  return camel(name) + pathText(path, '!')
}
