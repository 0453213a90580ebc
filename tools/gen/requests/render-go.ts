import type { ClientModel } from '../client-model.ts'
import { goArgument, goName } from '../sdk-go-names.ts'
import type { Call } from './find-call.ts'
import { type GoValues, goValues } from './go-values.ts'
import { around, type Group, type Layout, printLayout } from './layout.ts'
import { blockNames, type Names } from './names.ts'
import { type Line, nounOf, type Refs } from './plan.ts'

const style = { unit: '\t', width: 80 }

export const goSetup = `ctx := context.Background()
client, err := ars.NewClient() // reads ARS_BASE_URL and ARS_API_KEY
if err != nil {
	log.Fatal(err)
}
`

const check = 'if err != nil {\n\tlog.Fatal(err)\n}'

export type GoRenderer = (lines: readonly Line[]) => string

/** The steps of a block with the Go SDK. */
export const goRenderer = (model: ClientModel): GoRenderer => {
  const values = goValues(model)
  return (lines) => {
    const names = blockNames()
    const state = { model, values, names, hasResponse: false }
    return lines.map((line) => `${lineText(line, state)}\n`).join('')
  }
}

type State = { readonly model: ClientModel; readonly values: GoValues; readonly names: Names; hasResponse: boolean }

const print = (layout: Layout): string => printLayout(layout, style)

const lineText = (line: Line, state: State): string => {
  const { refs } = line
  const { names, values } = state
  switch (line.kind) {
    case 'setup':
      return `import ars "github.com/agent-run-service/agent-run-service/sdks/go"\n\n${goSetup.trimEnd()}`
    case 'answer': {
      const { isNew } = names.add(line.name, kindOf(line.call))
      return called(goArgument(line.name), isNew, line.call, { refs, state })
    }
    case 'value': {
      const { before, text } = reached(line, state)
      names.add(line.name, 'value')
      return [...before, `${goArgument(line.name)} := ${text}`].join('\n')
    }
    case 'print':
      return printed(line, state)
    case 'frames': {
      const call = callOf(line.call, { refs, state })
      return `${print(around('for frame, err := range ', call, '.All() {'))}\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n\tfmt.Println(string(frame.RawJSON()))\n}`
    }
    case 'text':
      return `${goArgument(line.name)} := ${values.text(line.text, refs)}`
    case 'wait': {
      const ids = line.call.ids.map(({ value, type }) => print(values.value(value, type, refs)))
      const wait = `client.${goName(line.call.resource.name)}.Wait(${['ctx', ...ids].join(', ')})`
      return `if _, err := ${wait}; err != nil {\n\tlog.Fatal(err)\n}`
    }
    case 'sleep':
      return `time.Sleep(${line.seconds === 1 ? '' : `${line.seconds} * `}time.Second)`
  }
}

const printed = (line: Extract<Line, { kind: 'print' }>, state: State): string => {
  const { from, path, refs } = line
  if ('name' in from || path.length > 0) {
    const { before, text } = reached(line, state)
    return [...before, `fmt.Println(${text})`].join('\n')
  }
  const { name, before } = named(from.call, refs, state)
  if (from.call.operation.answer.kind === 'page')
    return [...before, `for _, item := range ${name}.Data {\n\tfmt.Println(string(item.RawJSON()))\n}`].join('\n')
  const headers = from.call.showsHeaders ? 'response.Status, response.Header, ' : ''
  return [...before, `fmt.Println(${headers}string(${name}.RawJSON()))`].join('\n')
}

const reached = (
  { from, path, refs }: Extract<Line, { kind: 'value' | 'print' }>,
  state: State,
): { before: string[]; text: string } => {
  if ('name' in from) return { before: [], text: state.values.path(goArgument(from.name), path) }
  const { name, before } = named(from.call, refs, state)
  return { before, text: state.values.path(name, path) }
}

/** A call whose answer gets a name that nothing uses. */
const named = (call: Call, refs: Refs, state: State): { name: string; before: string[] } => {
  const isPage = call.operation.answer.kind === 'page'
  const { name, isNew } = state.names.take(isPage ? 'page' : nounOf(call.resource.name), refs, kindOf(call))
  const variable = goArgument(name)
  return { name: variable, before: [called(variable, isNew, call, { refs, state })] }
}

type Place = { readonly refs: Refs; readonly state: State }

const called = (name: string, isNew: boolean, call: Call, place: Place): string => {
  const { state } = place
  const needsResponse = call.showsHeaders && !state.hasResponse
  if (needsResponse) state.hasResponse = true
  const line = print(around(`${name}, err ${isNew ? ':=' : '='} `, callOf(call, place)))
  return [...(needsResponse ? ['var response *http.Response'] : []), line, check].join('\n')
}

const kindOf = ({ operation: { answer, id } }: Call): string => {
  if (answer.kind === 'page') return `page ${JSON.stringify(answer.item)}`
  return answer.kind === 'record' ? JSON.stringify({ ...answer.type, nullable: false }) : id
}

const callOf = (call: Call, { refs, state: { model, values } }: Place): Group => {
  const { resource, operation, ids, fields } = call
  const params = values.params(model, call, refs)
  const seconds = call.wait === 1 ? 'time.Second' : `${Number(call.wait)}*time.Second`
  const options = [
    ...(call.wait === undefined ? [] : [`ars.WithWait(${call.wait === false ? '0' : seconds})`]),
    ...(call.idempotencyKey ? [`ars.WithIdempotencyKey(${values.text(call.idempotencyKey, refs)})`] : []),
    ...(call.lastEventId ? [`ars.WithLastEventID(${values.text(call.lastEventId, refs)})`] : []),
    ...call.headers.map(({ name, value }) => `ars.WithHeader(${JSON.stringify(name)}, ${values.text(value, refs)})`),
    ...(call.showsHeaders ? ['ars.WithResponse(&response)'] : []),
  ]
  const suffix = operation.answer.kind === 'page' ? 'Page' : ''
  const takes = operation.body !== undefined || operation.query.length > 0
  const items = [
    { value: 'ctx' },
    ...ids.map(({ value, type }) => ({ value: values.value(value, type, refs) })),
    ...(takes ? [{ value: fields.length === 0 && values.isPointer(operation) ? 'nil' : params }] : []),
    ...options.map((value) => ({ value })),
  ]
  return { open: `client.${goName(resource.name)}.${goName(operation.name)}${suffix}(`, items, close: ')', hugs: true }
}
