// The messages of `opentelemetry/proto/collector/trace/v1` that a collector of traces reads, as the JSON form of OTLP has them.

type Read = (value: bigint | Buffer) => unknown
/** The fields of a message by their numbers. A list is a field that may occur again. */
type Message = Readonly<Record<number, readonly [name: string, read: Read, isList?: 'list']>>

const int: Read = (value) => Number(value)
const long: Read = (value) => String(BigInt.asIntN(64, value as bigint))
const unsigned: Read = (value) => String(value)
const bool: Read = (value) => value === 1n
const text: Read = (value) => value.toString()
const hex: Read = (value) => (value as Buffer).toString('hex')
const double: Read = (value) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value as bigint)
  return bytes.readDoubleLE()
}
const as =
  (message: () => Message): Read =>
  (value) =>
    readMessage(value as Buffer, message())

const anyValue: Message = {
  1: ['stringValue', text],
  2: ['boolValue', bool],
  3: ['intValue', long],
  4: ['doubleValue', double],
  5: ['arrayValue', as(() => ({ 1: ['values', as(() => anyValue), 'list'] }))],
}
const attributes = as(() => ({ 1: ['key', text], 2: ['value', as(() => anyValue)] }))
const span: Message = {
  1: ['traceId', hex],
  2: ['spanId', hex],
  3: ['traceState', text],
  4: ['parentSpanId', hex],
  5: ['name', text],
  6: ['kind', int],
  7: ['startTimeUnixNano', unsigned],
  8: ['endTimeUnixNano', unsigned],
  9: ['attributes', attributes, 'list'],
  10: ['droppedAttributesCount', int],
  11: ['events', hex, 'list'],
  12: ['droppedEventsCount', int],
  13: ['links', hex, 'list'],
  14: ['droppedLinksCount', int],
  15: ['status', as(() => ({ 2: ['message', text], 3: ['code', int] }))],
  16: ['flags', int],
}
const scope: Message = { 1: ['name', text], 2: ['version', text], 4: ['droppedAttributesCount', int] }
const resource: Message = { 1: ['attributes', attributes, 'list'], 2: ['droppedAttributesCount', int] }
const scopeSpans: Message = {
  1: ['scope', as(() => scope)],
  2: ['spans', as(() => span), 'list'],
  3: ['schemaUrl', text],
}
const resourceSpans: Message = {
  1: ['resource', as(() => resource)],
  2: ['scopeSpans', as(() => scopeSpans), 'list'],
  3: ['schemaUrl', text],
}

/** Throws for a field that is not in the tables above. */
export const readTraces = (body: Buffer): unknown =>
  readMessage(body, { 1: ['resourceSpans', as(() => resourceSpans), 'list'] })

const readMessage = (bytes: Buffer, fields: Message): Record<string, unknown> => {
  const found: Record<string, unknown> = {}
  for (let at = 0; at < bytes.length; ) {
    const tag = readVarint(bytes, at)
    const { value, end } = readValue(bytes, tag.end, Number(tag.value & 7n))
    const [name, read, isList] = fields[Number(tag.value >> 3n)] ?? []
    if (!name || !read) throw new Error(`field ${tag.value >> 3n} is not one of ${Object.values(fields).map(String)}`)
    at = end
    if (!isList) found[name] = read(value)
    else if (Array.isArray(found[name])) found[name].push(read(value))
    else found[name] = [read(value)]
  }
  return found
}

const readValue = (bytes: Buffer, at: number, wire: number): { value: bigint | Buffer; end: number } => {
  if (wire === 0) return readVarint(bytes, at)
  if (wire === 1) return { value: bytes.readBigUInt64LE(at), end: at + 8 }
  if (wire === 5) return { value: BigInt(bytes.readUInt32LE(at)), end: at + 4 }
  if (wire !== 2) throw new Error(`wire type ${wire}`)
  const { value: length, end } = readVarint(bytes, at)
  const last = end + Number(length)
  if (last > bytes.length) throw new Error('the message ends too early')
  return { value: bytes.subarray(end, last), end: last }
}

const readVarint = (bytes: Buffer, at: number): { value: bigint; end: number } => {
  let value = 0n
  for (let end = at, shift = 0n; ; shift += 7n) {
    const byte = BigInt(bytes.readUInt8(end++))
    value |= (byte & 127n) << shift
    if (byte < 128n) return { value, end }
  }
}
