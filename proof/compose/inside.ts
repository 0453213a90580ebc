import { spawnSync } from 'node:child_process'
import { accessSync, constants, linkSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'

// inside.ts [secret…]: what somebody who executes code in a process of the image reaches beside the process itself. It is sent to
// `node --input-type=module-typescript -` in a container, so it imports nothing of the service. The names are those of the secrets that
// the container may hold. Ends with 1 if it reached anything.

const allowedSecrets = process.argv.slice(2)
const problems: string[] = []
const held: string[] = []

/** What must be refused, and was not if it returns. */
const refused = (what: string, act: () => unknown): void => {
  try {
    act()
    problems.push(`${what} was possible`)
  } catch {
    held.push(what)
  }
}

const status = readFileSync('/proc/self/status', 'utf8')
const fieldOf = (name: string): string => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? ''
if (process.getuid?.() !== 65_532 || process.getgid?.() !== 65_532)
  problems.push(`It is user ${process.getuid?.()}:${process.getgid?.()}`)
if (!/^0*$/.test(fieldOf('CapEff')) || !/^0*$/.test(fieldOf('CapPrm'))) problems.push(`It can do ${fieldOf('CapEff')}`)
if (fieldOf('Seccomp') === '0') problems.push('No filter of system calls is in force')

const isWritable = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}
/** Memory, not the image: they end with the container. */
const temporary = ['/tmp', '/dev/shm', '/dev/mqueue', '/dev/pts']
const visit = (folder: string): void => {
  if (['/proc', '/sys', ...temporary].includes(folder)) return
  if (isWritable(folder)) problems.push(`${folder} can be written`)
  let names: string[] = []
  try {
    names = readdirSync(folder)
  } catch {
    return
  }
  for (const name of names) {
    const path = `${folder === '/' ? '' : folder}/${name}`
    const about = lstatSync(path)
    if (about.isDirectory()) visit(path)
    else if (about.isBlockDevice()) problems.push(`${path} is a disk`)
    else if (about.isSocket() && folder !== '/tmp') problems.push(`${path} is a socket`)
    else if (about.isFile() && isWritable(path)) problems.push(`${path} can be written`)
  }
}
visit('/')

refused('to change the program', () => writeFileSync('/opt/ars/main.mjs', '', { flag: 'a' }))
refused('to add a file to the program', () => writeFileSync('/opt/ars/added.mjs', ''))
refused('to add a configuration of the loader', () => writeFileSync('/etc/ld.so.preload', ''))
refused('to add a user', () => writeFileSync('/etc/passwd', 'x', { flag: 'a' }))
refused('to become root', () => process.setuid?.(0))
refused('to become another user', () => process.setgid?.(1))
refused('to read the memory of the kernel', () => readFileSync('/proc/kcore', { flag: 'r' }))
refused('to change the kernel', () => writeFileSync('/proc/sys/kernel/core_pattern', '|/tmp/x'))
refused('to ask the kernel to restart', () => writeFileSync('/proc/sysrq-trigger', 'b'))
refused('to leave the container by the first process', () => readdirSync('/proc/1/root/proc/1/root/var/lib/docker'))
refused('to link a file of another user', () => linkSync('/etc/passwd', '/tmp/passwd'))
for (const program of ['sh', 'bash', 'busybox', 'perl', 'python3', 'apt-get', 'dpkg', 'curl', 'wget', 'mount', 'su'])
  refused(`to execute ${program}`, () => {
    const { error } = spawnSync(program, ['--version'], {
      env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' },
    })
    if (error) throw error
  })
for (const socket of ['/var/run/docker.sock', '/run/docker.sock', '/run/containerd/containerd.sock'])
  refused(`to reach ${socket}`, () => lstatSync(socket))

const namesOf = (folder: string): string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
const secrets = namesOf('/run/secrets')
for (const name of secrets) if (!allowedSecrets.includes(name)) problems.push(`It holds the secret ${name}`)
for (const name of allowedSecrets) if (!secrets.includes(name)) problems.push(`It does not hold the secret ${name}`)
const values = secrets
  .map((name) => readFileSync(`/run/secrets/${name}`, 'utf8').trim())
  .filter(({ length }) => length > 8)
for (const [name, value = ''] of Object.entries(process.env))
  if (/:\/\/[^/]*:[^/]+@/.test(value) || values.some((secret) => value.includes(secret)))
    problems.push(`The variable ${name} holds a secret`)

console.log(`refused: ${held.length}. reached: ${problems.length}`)
for (const problem of problems) console.log(`  ${problem}`)
process.exitCode = problems.length === 0 ? 0 : 1
