import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { OutgoingFindings, OutgoingSize } from './inside.ts'
import { makeCanaryNamespace, nameServerAddress } from './namespace.ts'

const full: OutgoingSize = { urlsMost: Number.MAX_SAFE_INTEGER, tries: 500, width: 12, without: [], targetsMost: 18 }
const small: OutgoingSize = { urlsMost: 60, tries: 0, width: 1, without: ['quiet'], targetsMost: 2 }

/** The whole service in a network of canaries, attacked from within. Null where no such network can be made. */
export async function attackWaysOut(
  { isFull }: { isFull: boolean },
  tell: (words: string) => void,
): Promise<OutgoingFindings | null> {
  const namespace = await makeCanaryNamespace(tell)
  if (!namespace) return null
  const dir = mkdtempSync(join(tmpdir(), 'ars-outgoing-'))
  try {
    const resolvConf = join(dir, 'resolv.conf')
    writeFileSync(resolvConf, `nameserver ${nameServerAddress}\n`)
    const program = fileURLToPath(new URL('inside.ts', import.meta.url))
    const [command, args] = namespace.command(resolvConf, [process.execPath, program])
    const inside = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const ended = once(inside, 'exit')
    inside.stdin.end(JSON.stringify(isFull ? full : small))
    let findings: OutgoingFindings | undefined
    for await (const line of createInterface({ input: inside.stdout })) {
      if (line.startsWith('{')) findings = JSON.parse(line) as OutgoingFindings
      else if (line !== '') console.log(line)
    }
    await ended
    if (!findings) throw new Error('the attack did not come to its end')
    return findings
  } finally {
    await namespace.remove()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** What must not be. */
export function outgoingBreaches({ canaries, controls, fields, tricks, redirects, hits }: OutgoingFindings): string[] {
  const { canariesReached, encodingsReached, honestDelivered, allowedReached } = controls
  return [
    ...Object.entries(hits).flatMap(([phase, places]) =>
      Object.entries(places).map(([place, times]) => `${phase}: the canary at ${place} was reached ${times} times`),
    ),
    ...[...fields, ...tricks, ...redirects].flatMap(({ breaches }) => breaches),
    // One canary stands on the public address, for plain HTTP, and is not asked directly.
    ...(canariesReached === canaries - 1 ? [] : [`only ${canariesReached} of ${canaries - 1} canaries answer at all`]),
    ...(encodingsReached === 0 ? ['no disguised address reaches a canary, even without the guard'] : []),
    ...(honestDelivered ? [] : ['an honest receiver got nothing']),
    ...(allowedReached ? [] : ['the canary was not reached even where the operator allowed it']),
  ]
}
