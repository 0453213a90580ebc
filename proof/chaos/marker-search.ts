import { once } from 'node:events'
import type { Dirent } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join, relative } from 'node:path'
import type { Stack } from '@ars/tools/dev/stack'
import { openSql } from '../lab/stack/sql.ts'
import { letterPattern, lettersIn, lettersInBytes, type MarkerScript } from './marked-speech.ts'

/** Collects what was seen in one place of the stack, and keeps only the letters of the two scripts. */
export type Sight = {
  see(text: string): void
  /** Pieces of markers, by the name of their script. At most some are kept. */
  readonly found: Readonly<Record<string, readonly string[]>>
  readonly chars: number
}

const maxKept = 100

export const sightOf = (scripts: readonly MarkerScript[]): Sight => {
  const finders = scripts.map((script) => ({ find: lettersIn(script), kept: [] as string[], name: script.name }))
  let chars = 0
  return {
    see: (text) => {
      chars += text.length
      for (const { find, kept } of finders) if (kept.length < maxKept) kept.push(...find(text))
    },
    found: Object.fromEntries(finders.map(({ name, kept }) => [name, kept])),
    get chars() {
      return chars
    },
  }
}

/** Sees every command that Redis executes from now on, also on keys that are gone later. */
export const monitorRedis = async (
  { ports }: { ports: Pick<Stack['ports'], 'redis'> },
  sight: Sight,
): Promise<{ readonly isOpen: boolean; plant(text: string): Promise<void>; close(): void }> => {
  const dial = async (): Promise<Socket> => {
    const socket = connect({ port: ports.redis, host: '127.0.0.1' })
    await once(socket, 'connect')
    socket.on('error', () => undefined)
    return socket
  }
  const socket = await dial()
  let rest = ''
  socket.on('data', (bytes) => {
    const lines = `${rest}${bytes.toString('latin1')}`.split('\n')
    rest = lines.pop() ?? ''
    sight.see(lines.join('\n'))
  })
  const isAnswered = once(socket, 'data')
  socket.write('MONITOR\r\n')
  await isAnswered
  return {
    get isOpen() {
      return !socket.destroyed
    },
    plant: async (text) => {
      const other = await dial()
      const isTaken = once(other, 'data')
      other.write(`PUBLISH control ${text}\r\n`)
      await isTaken
      other.destroy()
    },
    close: () => {
      sight.see(rest)
      socket.destroy()
    },
  }
}

/** The tables with a row that has a letter of the script in any column, and how many tables there are. */
export const searchTables = async (
  { postgres }: Stack,
  script: MarkerScript,
): Promise<{ found: string[]; tables: number }> => {
  const sql = openSql(postgres.superuserUrl('ars'))
  try {
    // Partitions are read by their parent.
    const tables = await sql.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p', 'm') and not c.relispartition and n.nspname not in ('pg_catalog', 'information_schema')
        order by 1`,
    )
    const found: string[] = []
    for (const { name } of tables) {
      const [row] = await sql.query<{ rows: number }>(
        `select count(*)::integer as rows from ${name} t where t::text ~ $1`,
        [letterPattern(script)],
      )
      if (row && row.rows > 0) found.push(`${name}: ${row.rows} rows`)
    }
    return { found, tables: tables.length }
  } finally {
    await sql.close()
  }
}

const chunkBytes = 16 * 1_048_576
/** A marker on the edge of two chunks is in both. */
const overlapBytes = 64

/** Without what goes away meanwhile. */
const entriesBelow = async (folder: string): Promise<Dirent[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const below = await Promise.all(
    entries.filter((entry) => entry.isDirectory()).map(({ name }) => entriesBelow(join(folder, name))),
  )
  return [...entries, ...below.flat()]
}

/** The files below the folder that have letters of the script, and how many bytes were read. Files may go away meanwhile. */
export const searchFiles = async (
  folder: string,
  script: MarkerScript,
): Promise<{ found: string[]; files: number; bytes: number }> => {
  const find = lettersInBytes(script)
  const entries = await entriesBelow(folder)
  const result = { found: [] as string[], files: 0, bytes: 0 }
  const buffer = Buffer.alloc(chunkBytes)
  for (const entry of entries.filter((each) => each.isFile())) {
    const file = join(entry.parentPath, entry.name)
    const handle = await open(file).catch(() => null)
    if (!handle) continue
    result.files++
    try {
      for (let from = 0; ; ) {
        const { bytesRead } = await handle.read(buffer, 0, chunkBytes, from)
        const seen = find(buffer.subarray(0, bytesRead))
        if (seen.length > 0) result.found.push(`${relative(folder, file)}: ${seen.length} times`)
        result.bytes += bytesRead
        if (bytesRead < chunkBytes) break
        from += chunkBytes - overlapBytes
      }
    } finally {
      await handle.close()
    }
  }
  return result
}
