import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** What tells a live process from another one that later got the same number. */
export type ProcessIdentity = {
  pid: number
  /** When it began, in a form that only serves to be compared. */
  startedAt: string
}

export type LiveProcess = ProcessIdentity & {
  command: string
}

/** The process with this number, or undefined when there is none or only its zombie is left. */
export const findProcess = (pid: number): LiveProcess | undefined => (hasProc ? findInProc(pid) : findWithPs(pid))

export const isAlive = (identity: ProcessIdentity): boolean =>
  findProcess(identity.pid)?.startedAt === identity.startedAt

export const ownIdentity = (): ProcessIdentity => {
  const own = findProcess(process.pid)
  if (!own) throw new Error('this process does not see itself in the process table')
  return { pid: own.pid, startedAt: own.startedAt }
}

/** The processes whose working directory is `directory`. Only Linux tells; elsewhere the answer is empty. */
export const listProcessesIn = (directory: string): LiveProcess[] => {
  if (!hasProc) return []
  const found: LiveProcess[] = []
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      if (readlinkSync(`/proc/${entry}/cwd`) !== directory) continue
    } catch {
      continue // It ended meanwhile, or it belongs to somebody else and cannot be ours.
    }
    const live = findProcess(Number(entry))
    if (live) found.push(live)
  }
  return found
}

const hasProc = existsSync('/proc/self/stat')

const findInProc = (pid: number): LiveProcess | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may itself hold spaces and parentheses: the fields are counted after its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, threads, startedAt] = [fields[0], fields[17], fields[19]]
    // The first thread may be a zombie while others still end and hold the process's sockets.
    const isZombie = state === 'Z' && Number(threads) <= 1
    if (!startedAt || isZombie || state === 'X') return undefined
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim()
    return { pid, startedAt, command }
  } catch {
    return undefined
  }
}

const findWithPs = (pid: number): LiveProcess | undefined => {
  const { stdout } = spawnSync('ps', ['-p', String(pid), '-o', 'stat=,lstart=,command='], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  const match = /^(\S+)\s+(\S+ \S+ +\S+ \S+ \S+)\s+(.*)$/.exec(stdout?.trim() ?? '')
  const [, state, startedAt, command] = match ?? []
  if (!state || !startedAt || command === undefined || state.startsWith('Z')) return undefined
  return { pid, startedAt, command }
}
