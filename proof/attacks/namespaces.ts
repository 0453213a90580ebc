import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Two network namespaces with a cable between them: a machine of our own, and a stranger's. */
export type Namespaces = {
  /** Names for `ip netns exec`. */
  inside: string
  outside: string
  /** How the outside reaches the inside. */
  addresses: readonly string[]
  remove(): Promise<void>
}

const run = promisify(execFile)
const ip = (...args: string[]): Promise<unknown> => run('ip', args)

// Set aside for measurements and for local use; nothing else has them in namespaces that were just made.
const four = { inside: '198.18.0.1', outside: '198.18.0.2' }
const six = { inside: 'fd00:a55::1', outside: 'fd00:a55::2' }

/** Null, with the reason told, where one may not make them. */
export const makeNamespaces = async (tell: (words: string) => void): Promise<Namespaces | null> => {
  const inside = `ars-in-${process.pid}`
  const outside = `ars-out-${process.pid}`
  const remove = async (): Promise<void> => {
    // With the namespaces their ends of the cable go, too.
    for (const name of [inside, outside]) await ip('netns', 'del', name).catch(() => undefined)
  }
  try {
    for (const name of [inside, outside]) {
      await ip('netns', 'add', name)
      await ip('-n', name, 'link', 'set', 'lo', 'up')
    }
    const [near, far] = [`ars-a${process.pid}`, `ars-b${process.pid}`]
    await ip('link', 'add', near, 'netns', inside, 'type', 'veth', 'peer', 'name', far, 'netns', outside)
    await plug(inside, near, [`${four.inside}/30`, `${six.inside}/64`])
    await plug(outside, far, [`${four.outside}/30`, `${six.outside}/64`])
    // Some systems let a namespace be made and nothing be run in it.
    await ip('netns', 'exec', outside, process.execPath, '--version')
    return { inside, outside, addresses: [four.inside, six.inside], remove }
  } catch (error) {
    await remove()
    tell(`No network namespaces here: ${String(error).split('\n').slice(0, 2).join(' ')}`)
    return null
  }
}

const plug = async (namespace: string, device: string, addresses: readonly string[]): Promise<void> => {
  for (const address of addresses) {
    // Nobody else could have the address of IPv6, so it need not be asked for.
    await ip('-n', namespace, 'addr', 'add', address, 'dev', device, ...(address.includes(':') ? ['nodad'] : []))
  }
  await ip('-n', namespace, 'link', 'set', device, 'up')
}
