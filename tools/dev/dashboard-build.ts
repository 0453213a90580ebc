import { spawn } from 'node:child_process'
import {
  type Dirent,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive, ownIdentity, type ProcessIdentity } from './parts/process-table.ts'
import { repositoryDir } from './server.ts'

const home = join(repositoryDir, 'apps/dashboard')
const built = join(home, 'dist')
const lockFile = join(home, '.build-lock')
const sources = [
  ...['src', 'public', 'index.html', 'package.json', 'vite.config.ts'].map((name) => join(home, name)),
  ...['sdks/typescript/src', 'pnpm-lock.yaml'].map((name) => join(repositoryDir, name)),
]

/**
 * Builds the dashboard if a source is newer than the built files, and answers their folder. Processes that need it at
 * once wait for the one that builds. The new files replace the old ones when they are complete.
 */
export const buildDashboard = async (): Promise<string> => {
  while (!isBuilt()) {
    if (!takeLock()) await sleep(200)
    else {
      try {
        if (!isBuilt()) await build()
      } finally {
        rmSync(lockFile, { force: true })
      }
    }
  }
  return built
}

const isBuilt = (): boolean => {
  const builtMs = newestMs(join(built, 'index.html'))
  return sources.every((source) => newestMs(source) <= builtMs)
}

const newestMs = (path: string): number => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return 0
  if (!found.isDirectory()) return found.mtimeMs
  const names = readdirSync(path, { withFileTypes: true }).filter((entry) => !isTest(entry))
  return Math.max(found.mtimeMs, ...names.map(({ name }) => newestMs(join(path, name))))
}

const isTest = ({ name }: Dirent): boolean => /\.(test|fixture)\.tsx?$/.test(name)

const takeLock = (): boolean => {
  try {
    writeFileSync(lockFile, JSON.stringify(ownIdentity()), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const owner = readOwner()
    if (owner && !isAlive(owner)) rmSync(lockFile, { force: true })
    return false
  }
}

const readOwner = (): ProcessIdentity | undefined => {
  try {
    return JSON.parse(readFileSync(lockFile, 'utf8')) as ProcessIdentity
  } catch {
    return undefined // It is being written or removed at this moment.
  }
}

const build = async (): Promise<void> => {
  const fresh = join(home, 'dist.new')
  const old = join(home, 'dist.old')
  const output: string[] = []
  const child = spawn(join(home, 'node_modules/.bin/vite'), ['build', '--outDir', fresh, '--emptyOutDir'], {
    cwd: home,
    // Tests set another one, which would build the pages for development.
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.on('data', (chunk) => output.push(String(chunk)))
  child.stderr.on('data', (chunk) => output.push(String(chunk)))
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve))
  if (code !== 0) throw new Error(`the dashboard was not built:\n${output.join('')}`)
  rmSync(old, { recursive: true, force: true })
  if (existsSync(built)) renameSync(built, old)
  renameSync(fresh, built)
  rmSync(old, { recursive: true, force: true })
}
