/** HTTP/2, as bytes: what no client library would send, and as fast as one can write. */

const frameType = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, continuation: 9 } as const
const flag = { endStream: 1, endHeaders: 4 } as const

const frame = (type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer => {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** What a client says first. `window`: how much of each answer it takes before it asks for more. */
export const greeting = ({ window = 65_535 } = {}): Buffer => {
  const setting = Buffer.alloc(6)
  setting.writeUInt16BE(4, 0)
  setting.writeUInt32BE(window, 2)
  return Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(frameType.settings, 0, 0, setting)])
}

export const pingFrame = frame(frameType.ping, 0, 0, Buffer.alloc(8))
export const settingsFrame = frame(frameType.settings, 0, 0)

/** The headers of a GET, the same for every stream. */
export const headersOf = (path: string, key?: string): Buffer =>
  Buffer.concat([
    Buffer.from([0x82, 0x87]), // :method GET, :scheme https
    literal([0x04], path),
    literal([0x01], 'localhost'),
    ...(key === undefined ? [] : [literal([0x0f, 0x08], `Bearer ${key}`)]),
  ])

export const openStream = (stream: number, headers: Buffer): Buffer =>
  frame(frameType.headers, flag.endStream | flag.endHeaders, stream, headers)

/** The beginning of headers that never end. */
export const openEndless = (stream: number, headers: Buffer): Buffer =>
  frame(frameType.headers, flag.endStream, stream, headers)

export const continuation = (stream: number, payload: Buffer): Buffer =>
  frame(frameType.continuation, 0, stream, payload)

export const resetStream = (stream: number): Buffer => {
  const cancel = Buffer.from([0, 0, 0, 8])
  return frame(frameType.reset, 0, stream, cancel)
}

/** HPACK: a field whose name is in the static table, not to be remembered. Values of less than 127 bytes. */
const literal = (name: readonly number[], value: string): Buffer => {
  if (value.length >= 127) throw new Error('a longer value would need more than a byte for its length')
  return Buffer.concat([Buffer.from([...name, value.length]), Buffer.from(value)])
}
