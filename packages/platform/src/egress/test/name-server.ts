import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The records of a name: addresses, an alias, an error, or no response. Queried for each address type. */
export type Zone = (name: string, kind: 'A' | 'AAAA' | 'other') => Found | Promise<Found>

type Found = { alias?: string; addresses: readonly string[] } | 'NXDOMAIN' | 'SERVFAIL' | 'silence'

/** A name server on loopback (RFC 1035) for A and AAAA, with a TTL of zero. */
export const startNameServer = async (zone: Zone, { host = '127.0.0.1', port: wanted = 0 } = {}) => {
  const socket = createSocket('udp4')
  socket.on('message', async (query, { port, address }) => {
    const answer = await answerTo(query, zone)
    if (answer) socket.send(answer, port, address)
  })
  socket.bind(wanted, host)
  await once(socket, 'listening')
  return { server: `${host}:${socket.address().port}`, close: () => socket.close() }
}

const headerBytes = 12
const typeA = 1
const typeCname = 5
const typeAaaa = 28
const kinds: ReadonlyMap<number, 'A' | 'AAAA'> = new Map([
  [typeA, 'A'],
  [typeAaaa, 'AAAA'],
])

const answerTo = async (query: Buffer, zone: Zone): Promise<Buffer | undefined> => {
  const labels: string[] = []
  let at = headerBytes
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  const question = query.subarray(headerBytes, at + 5)
  const type = query.readUInt16BE(at + 1)
  const found = await zone(labels.join('.').toLowerCase(), kinds.get(type) ?? 'other')
  if (found === 'silence') return
  if (typeof found === 'string') return message(query, question, found === 'NXDOMAIN' ? 3 : 2, [])
  const own = Buffer.from([0xc0, headerBytes])
  const owner = found.alias === undefined ? own : encoded(found.alias)
  const addresses = found.addresses
    .filter((address) => (isIPv4(address) ? typeA : typeAaaa) === type)
    .map((address) => record(owner, type, Buffer.from(ipaddr.parse(address).toByteArray())))
  const aliases = found.alias === undefined ? [] : [record(own, typeCname, encoded(found.alias))]
  return message(query, question, 0, [...aliases, ...addresses])
}

const message = (query: Buffer, question: Buffer, code: number, records: readonly Buffer[]): Buffer => {
  const header = Buffer.from([0, 0, 0x81, 0x80 | code, 0, 1, 0, records.length, 0, 0, 0, 0])
  query.copy(header, 0, 0, 2)
  return Buffer.concat([header, question, ...records])
}

const record = (owner: Buffer, type: number, data: Buffer): Buffer =>
  Buffer.concat([owner, Buffer.from([0, type, 0, 1, 0, 0, 0, 0, data.length >> 8, data.length & 0xff]), data])

const encoded = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`)),
    Buffer.from([0]),
  ])
