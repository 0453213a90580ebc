import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { InsideFacts } from './inside.ts'
import { listeningBeyondLoopback } from './listening.ts'
import { makeNamespaces } from './namespaces.ts'
import type { OutsideFindings, OutsideTask } from './outside.ts'

export type PortMetrics = {
  /** `namespace`: asked over a cable. `sockets`: only looked up, because namespaces may not be made here. */
  how: 'namespace' | 'sockets'
  httpsPort: number
  open: Record<string, number[]>
  pathsAsked: number
  breaches: string[]
}

/** A stack on the addresses that it has by default, seen from elsewhere. */
export const lookFromOutside = async (
  { isFull }: { isFull: boolean },
  tell: (words: string) => void,
): Promise<PortMetrics> => {
  const namespaces = await makeNamespaces(tell)
  const inside = run('inside.ts', namespaces?.inside)
  try {
    const facts = await factsOf(inside)
    if (!namespaces) return judgeSockets(facts)
    tell('The whole service is up in a namespace; asking all ports from another.')
    // The small size leaves out the second family, which takes as long again.
    const addresses = namespaces.addresses.slice(0, isFull ? 2 : 1)
    const findings = await findingsOf(namespaces.outside, { ...facts, addresses })
    return judgeFindings(facts, findings)
  } finally {
    inside.stdin?.end()
    if (inside.exitCode === null) await once(inside, 'exit')
    await namespaces?.remove()
  }
}

const run = (program: string, namespace: string | undefined): ChildProcess => {
  const file = fileURLToPath(new URL(program, import.meta.url))
  const command = [...(namespace ? ['ip', 'netns', 'exec', namespace] : []), process.execPath, file]
  return spawn(command[0] ?? '', command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] })
}

const factsOf = async (inside: ChildProcess): Promise<InsideFacts> => {
  if (!inside.stdout) throw new Error('the output of the stack cannot be read')
  for await (const line of createInterface({ input: inside.stdout })) {
    if (line.startsWith('{')) return JSON.parse(line) as InsideFacts
  }
  throw new Error('the stack did not start')
}

const findingsOf = async (namespace: string, task: OutsideTask): Promise<OutsideFindings> => {
  const child = run('outside.ts', namespace)
  if (!child.stdin || !child.stdout) throw new Error('the outside process cannot be reached')
  child.stdin.end(JSON.stringify(task))
  return JSON.parse(await text(child.stdout)) as OutsideFindings
}

const judgeFindings = ({ httpsPort }: InsideFacts, { open, answers }: OutsideFindings): PortMetrics => {
  const breaches = Object.entries(open).flatMap(([address, ports]) =>
    ports.filter((port) => port !== httpsPort).map((port) => `port ${port} answers at ${address}`),
  )
  if (!Object.values(open).some((ports) => ports.includes(httpsPort))) breaches.push('the HTTPS port does not answer')
  const found = answers.filter(({ status }) => status !== 404)
  breaches.push(...found.map(({ path, status }) => `${path} is answered ${status}`))
  return { how: 'namespace', httpsPort, open, pathsAsked: answers.length, breaches }
}

/** Other programs may listen on this machine, so only the ports of the stack are looked at. */
const judgeSockets = ({ httpsPort, ports: { base } }: InsideFacts): PortMetrics => {
  const own = listeningBeyondLoopback().filter((port) => port >= base && port < base + 20)
  const breaches = own.filter((port) => port !== httpsPort).map((port) => `port ${port} listens beyond loopback`)
  if (!own.includes(httpsPort)) breaches.push('the HTTPS port does not listen')
  return { how: 'sockets', httpsPort, open: { 'beyond loopback': own }, pathsAsked: 0, breaches }
}
