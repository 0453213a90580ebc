import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { reapAllBelow } from '@ars/tools/dev/parts/pid-file'
import { removePostgresHome } from '@ars/tools/dev/parts/postgres-home'

/** Makes the folder of a product new: ends what an abandoned play left running in it, and deletes its data. */
export const renewFolder = async (dir: string): Promise<void> => {
  if (existsSync(dir)) await reapAllBelow(dir)
  removePostgresHome(join(dir, 'postgres'))
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
}
