import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

// image-files.ts <saved image> <folder>: unpacks the archive of `docker save` into the folder, as root, and says what in the image
// helps an attacker, or tells of the computer that built it. Ends with 1 if anything does.

const [archive = '', folder = ''] = process.argv.slice(2)
const problems: string[] = []

const unpack = (file: string, into: string): void => {
  mkdirSync(into, { recursive: true })
  execFileSync('tar', ['--extract', '--file', file, '--directory', into, '--numeric-owner', '--same-permissions'])
}
unpack(archive, join(folder, 'image'))
const read = (path: string): string => readFileSync(join(folder, 'image', path), 'utf8')
const [image] = JSON.parse(read('manifest.json')) as { Config: string; Layers: string[] }[]
if (!image) throw new Error('The archive holds no image')

type Config = { User: string; Entrypoint: string[]; Env: string[]; Volumes?: unknown }
const { config, history } = JSON.parse(read(image.Config)) as { config: Config; history: { created_by: string }[] }
if (config.User !== '65532:65532') problems.push(`The user is ${config.User}`)
if (config.Entrypoint.join(' ') !== '/usr/local/bin/node /opt/ars/main.mjs')
  problems.push(`The entry point is ${config.Entrypoint.join(' ')}`)
for (const variable of config.Env)
  if (!['NODE_ENV=production', 'PATH=/usr/local/bin'].includes(variable))
    problems.push(`The environment has ${variable}`)
for (const { created_by: words } of history)
  if (words !== 'deploy/image/build.sh') problems.push(`The history tells ${words}`)

const root = join(folder, 'root')
for (const layer of image.Layers) unpack(join(folder, 'image', layer), root)

/** The only place that a process of the service may write to. */
const temporary = '/tmp'
const programs: string[] = []
const texts = [hostname(), 'nameserver '].filter((text) => text.length > 3)
const isOfHost = (name: string): boolean => /^\/etc\/(hostname|resolv\.conf|hosts|machine-id|mtab)$/.test(name)
/** Keys of a computer, of Git or of npm, and files of a build. */
const secretNames =
  /(^|\/)(\.env|\.git|\.npmrc|\.ssh|id_[a-z0-9]+|.*\.(key|p12|kek)|shadow-?|gshadow-?|api-key|owner\.json)$/

let files = 0
const visit = (name: string): void => {
  const path = join(root, name)
  const about = lstatSync(path)
  if (about.uid !== 0 || about.gid !== 0) problems.push(`${name} belongs to ${about.uid}:${about.gid}`)
  if (isOfHost(name)) problems.push(`${name} is that of the computer that built the image`)
  if (secretNames.test(name)) problems.push(`${name} has the name of a secret`)
  if (about.isSymbolicLink()) {
    if (/\.\.\/.*\.\.\/.*\.\.\/.*\.\.\//.test(readlinkSync(path))) problems.push(`${name} leads out of the image`)
    return
  }
  if ((about.mode & 0o6000) !== 0) problems.push(`${name} is executed with the rights of its owner or group`)
  if ((about.mode & 0o022) !== 0 && name !== temporary) problems.push(`${name} may be written by others`)
  if (about.isDirectory()) {
    for (const each of readdirSync(path)) visit(join(name, each))
    return
  }
  files++
  if (!about.isFile()) problems.push(`${name} is neither a file nor a folder`)
  else if ((about.mode & 0o111) !== 0) programs.push(name)
  if (about.isFile() && about.size < 1_000_000 && name.startsWith('/etc/')) {
    const text = readFileSync(path, 'latin1')
    for (const each of texts) if (text.includes(each)) problems.push(`${name} has the text ${each.trim()}`)
  }
}
visit('/')

const expected = [
  '/usr/local/bin/node',
  /^\/usr\/lib\/[^/]+\/(libc\.so\.6|ld-linux[^/]*)$/,
  // For back-ups.
  /^\/usr\/lib\/postgresql\/17\/bin\/pg_(basebackup|receivewal|verifybackup|waldump)$/,
]
for (const program of programs)
  if (!expected.some((each) => (typeof each === 'string' ? each === program : each.test(program))))
    problems.push(`${program} can be executed`)

console.log(`${files} files, ${programs.length} of which can be executed: ${programs.join(' ')}`)
for (const problem of problems) console.log(`  ${problem}`)
process.exitCode = problems.length === 0 ? 0 : 1
