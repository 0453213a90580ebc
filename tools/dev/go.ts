import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { arch } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { PartError } from './parts/part.ts'

/** The oldest Go that the SDK supports: what compiles with it compiles with every later one. */
const goVersion = 'go1.24.13'

/** Toolchains of the Go proxy as zip files, and their SHA-256. */
const zips: Readonly<Record<string, string>> = {
  x64: 'd2b048367a3d1a748b87f756fa06df12ce3b419e1d5f2a3612acb8950d615f9f',
}

/**
 * The environment in which `go` is Go 1.24. Go 1.21 and newer fetch it and check its sum; beside an older
 * one, such as that of Debian 12, the toolchain is unpacked into `dir`.
 */
export const keepGo = async (dir: string, say: (words: string) => void): Promise<NodeJS.ProcessEnv> => {
  const root = (await fetchedRoot()) ?? join(dir, goVersion)
  if (!existsSync(join(root, 'bin/go'))) await unpack(root, say)
  return {
    ...process.env,
    PATH: `${join(root, 'bin')}:${process.env.PATH}`,
    GOROOT: root,
    GOTOOLCHAIN: 'local',
    GOFLAGS: '-modcacherw -buildvcs=false',
    GOWORK: 'off',
  }
}

/** Where the installed Go keeps the wanted one; undefined if it is too old to fetch it. */
const fetchedRoot = async (): Promise<string | undefined> => {
  const minor = await installedMinor()
  if (minor === undefined || minor < 21) return undefined
  const env = { ...process.env, GOTOOLCHAIN: goVersion, GOFLAGS: '-modcacherw' }
  const { stdout } = await promisify(execFile)('go', ['env', 'GOROOT'], { cwd: '/', env })
  return stdout.trim()
}

const installedMinor = async (): Promise<number | undefined> => {
  try {
    const { stdout } = await promisify(execFile)('go', ['version'], { cwd: '/' })
    return Number(/go1\.(\d+)/.exec(stdout)?.[1])
  } catch {
    return undefined
  }
}

const unpack = async (root: string, say: (words: string) => void): Promise<void> => {
  const wanted = zips[arch()]
  if (!wanted) throw new PartError(`Install Go 1.21 or newer: there is no toolchain for ${arch()} here.`)
  const name = `v0.0.1-${goVersion}.linux-amd64`
  const url = `https://proxy.golang.org/golang.org/toolchain/@v/${name}.zip`
  say(`fetching ${url}`)
  const making = `${root}.making-${process.pid}`
  try {
    mkdirSync(making, { recursive: true })
    const response = await fetch(url)
    const bytes = Buffer.from(await response.arrayBuffer())
    const found = createHash('sha256').update(bytes).digest('hex')
    if (found !== wanted) throw new PartError(`${url} has the SHA-256 ${found} instead of ${wanted}.`)
    const zip = join(making, 'toolchain.zip')
    writeFileSync(zip, bytes)
    await promisify(execFile)('python3', ['-m', 'zipfile', '-e', zip, making])
    const unpacked = join(making, `golang.org/toolchain@${name}`)
    // A module zip has no permissions.
    for (const folder of ['bin', 'pkg/tool/linux_amd64']) {
      for (const file of readdirSync(join(unpacked, folder))) chmodSync(join(unpacked, folder, file), 0o755)
    }
    mkdirSync(dirname(root), { recursive: true })
    renameSync(unpacked, root)
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
}
