import { crc32, deflateRawSync } from 'node:zlib'

export type ZipEntry = { readonly name: string; readonly content: Buffer }

// The oldest time that the format can hold, so that the same files make the same archive.
const dosTime = 0
const dosDate = (1 << 5) | 1
const version = 20
const deflate = 8
const utf8Names = 0x0800

/** A zip archive: deflated entries without permissions and with one fixed time, in the order of their names. */
export const zipOf = (entries: readonly ZipEntry[]): Buffer => {
  const sorted = entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content } of sorted) {
    const packed = deflateRawSync(content, { level: 9 })
    const path = Buffer.from(name)
    const shared = sharedFields(content, packed, path)
    const local = Buffer.concat([numbers([0x04034b50, 4], [version, 2]), shared, numbers([0, 2]), path, packed])
    const [made, plain] = [numbers([0x02014b50, 4], [version, 2], [version, 2]), numbers([0, 2])]
    // Comment, disk, attributes twice, and where the entry begins.
    const rest = numbers([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4])
    directory.push(Buffer.concat([made, shared, plain, rest, path]))
    bodies.push(local)
    offset += local.length
  }
  const size = directory.reduce((sum, each) => sum + each.length, 0)
  const counts: Number[] = [
    [sorted.length, 2],
    [sorted.length, 2],
  ]
  const end = numbers([0x06054b50, 4], [0, 2], [0, 2], ...counts, [size, 4], [offset, 4], [0, 2])
  return Buffer.concat([...bodies, ...directory, end])
}

const sharedFields = (content: Buffer, packed: Buffer, path: Buffer): Buffer =>
  numbers(
    [utf8Names, 2],
    [deflate, 2],
    [dosTime, 2],
    [dosDate, 2],
    [crc32(content), 4],
    [packed.length, 4],
    [content.length, 4],
    [path.length, 2],
  )

type Number = readonly [value: number, bytes: 2 | 4]

const numbers = (...given: readonly Number[]): Buffer =>
  Buffer.concat(
    given.map(([value, bytes]) => {
      const buffer = Buffer.alloc(bytes)
      if (bytes === 2) buffer.writeUInt16LE(value)
      else buffer.writeUInt32LE(value)
      return buffer
    }),
  )
