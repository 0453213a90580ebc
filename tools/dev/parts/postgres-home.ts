import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { PartError } from './part.ts'
import { listProcessesIn } from './process-table.ts'

/** Where a cluster's data and socket lie, and as whom its programs run. */
export type PostgresHome = {
  dataDir: string
  socketDir: string
  /** Set when we are root: Postgres refuses to run as root, so it runs as this user, who owns the data. */
  user: SystemUser | undefined
  /** Words for the person at the keyboard when the data does not lie where they would look first. */
  note: string | undefined
}

export type SystemUser = {
  name: string
  uid: number
  gid: number
}

/** Chooses the place, and makes sure that it exists with the right owner. */
export const settlePostgresHome = (dir: string, port: number): PostgresHome => {
  const user = process.getuid?.() === 0 ? findUser() : undefined
  mkdirSync(dir, { recursive: true })
  const realDir = realpathSync(dir)
  const reason = reasonToMoveOut(realDir, port, user)
  const home = reason ? outsideHome(realDir, user) : realDir
  for (const name of ['data', 'socket']) own(join(home, name), user)
  const note = reason && `${reason}, so the data lies in ${home}; ${join(dir, 'home')} is a link to it`
  return { dataDir: join(home, 'data'), socketDir: join(home, 'socket'), user, note }
}

/** Deletes the data, also when it lies outside `dir`. */
export const removePostgresHome = (dir: string): void => {
  const link = join(dir, 'home')
  if (existsSync(link)) rmSync(realpathSync(link), { recursive: true, force: true })
  rmSync(dir, { recursive: true, force: true })
}

const reasonToMoveOut = (dir: string, port: number, user: SystemUser | undefined): string | undefined => {
  // A socket's path may have 107 bytes; beyond that neither server nor clients can open it.
  if (Buffer.byteLength(join(dir, 'socket', `.s.PGSQL.${port}.lock`)) > 100)
    return `the path ${dir} is too long for a socket`
  if (!user) return undefined
  const isReachable = spawnSync('test', ['-x', dir], { uid: user.uid, gid: user.gid }).status === 0
  return isReachable
    ? undefined
    : `the user ${user.name} may not enter ${dir} (a directory above it is closed to others)`
}

const outsideHome = (dir: string, user: SystemUser | undefined): string => {
  const home = `/var/tmp/ars-postgres-${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`
  const link = join(dir, 'home')
  if (existsSync(home) && !existsSync(link)) {
    // Somebody deleted the stack's directory to begin afresh; without its password file this data is of no use.
    refuseWhileUsed(join(home, 'data'))
    rmSync(home, { recursive: true, force: true })
  }
  own(home, user)
  rmSync(link, { force: true })
  symlinkSync(home, link)
  return home
}

const refuseWhileUsed = (dataDir: string): void => {
  const [process] = listProcessesIn(dataDir)
  if (process) throw new PartError(`a Postgres still runs in ${dataDir} (process ${process.pid}): stop it first`)
}

const own = (directory: string, user: SystemUser | undefined): void => {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const { uid, isDirectory } = { uid: lstatSync(directory).uid, isDirectory: lstatSync(directory).isDirectory() }
  const expected = user?.uid ?? process.getuid?.() ?? uid
  if (!isDirectory || (uid !== expected && uid !== process.getuid?.())) {
    throw new PartError(
      `${directory} exists and does not belong to this stack: remove it, or choose another directory with --dir`,
    )
  }
  chmodSync(directory, 0o700)
  if (user) chownSync(directory, user.uid, user.gid)
}

/** `nobody` exists on every Linux, also where no package of Postgres has made `postgres`. */
const findUser = (): SystemUser => {
  for (const name of ['postgres', 'nobody']) {
    const read = (flag: string) => spawnSync('id', [flag, name], { encoding: 'utf8' })
    const [uid, gid] = [read('-u'), read('-g')]
    if (uid.status === 0 && gid.status === 0) return { name, uid: Number(uid.stdout), gid: Number(gid.stdout) }
  }
  throw new PartError(
    'Postgres does not run as root, and there is no other user to run it as: start it as another user',
  )
}
