import { join } from 'node:path'
import { type PostgresPart, postgres } from '@ars/tools/dev/parts/postgres'
import { removePostgresHome } from '@ars/tools/dev/parts/postgres-home'
import { withClient } from '../stack/sql.ts'

/** A new Postgres for a peer, with the settings of ours, and a database that belongs to the peer's role. */
export type PeerDatabase = Pick<PostgresPart, 'pid' | 'superuserUrl'> & {
  readonly url: string
  /** Stops it and deletes the data. */
  remove(): Promise<void>
}

export const startDatabase = async (dir: string, port: number, name: string): Promise<PeerDatabase> => {
  const home = join(dir, 'postgres')
  const part = postgres({ dir: home, port })
  const remove = async (): Promise<void> => {
    await part.stop()
    removePostgresHome(home)
  }
  try {
    await part.start()
    await withClient(part.superuserUrl(), async (client) => {
      await client.query(`create role ${name} login createdb password ${client.escapeLiteral(part.password)}`)
      await client.query(`create database ${name} owner ${name}`)
    })
  } catch (error) {
    await remove()
    throw error
  }
  const url = `postgresql://${name}:${part.password}@127.0.0.1:${port}/${name}?sslmode=disable`
  return { pid: part.pid, superuserUrl: part.superuserUrl, url, remove }
}
