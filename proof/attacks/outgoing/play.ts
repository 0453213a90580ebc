import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { OutgoingFindings, OutgoingSize } from './inside.ts'
import { makeMarkerNamespace, nameServerAddress } from './namespace.ts'

const full: OutgoingSize = { maxUrls: Number.MAX_SAFE_INTEGER, tries: 500, width: 12, without: [], maxTargets: 18 }
const small: OutgoingSize = { maxUrls: 60, tries: 0, width: 1, without: ['quiet'], maxTargets: 2 }

/** The whole service in a network of leak markers, attacked from within. Null where no such network can be made. */
export const attackWaysOut = async (
  { isFull }: { isFull: boolean },
  tell: (words: string) => void,
): Promise<OutgoingFindings | null> => {
  const namespace = await makeMarkerNamespace(tell)
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
    if (!findings) throw new Error('the attack did not finish')
    return findings
  } finally {
    await namespace.remove()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** What must not be. */
export const outgoingBreaches = ({
  leakMarkers,
  controls,
  fields,
  tricks,
  redirects,
  hits,
}: OutgoingFindings): string[] => {
  const { markersReached, encodingsReached, honestDelivered, allowedReached } = controls
  return [
    ...Object.entries(hits).flatMap(([phase, places]) =>
      Object.entries(places).map(
        ([place, times]) => `${phase}: the leak marker at ${place} was reached ${times} times`,
      ),
    ),
    ...[...fields, ...tricks, ...redirects].flatMap(({ breaches }) => breaches),
    // One leak marker stands on the public address, for plain HTTP, and is not asked directly.
    ...(markersReached === leakMarkers - 1
      ? []
      : [`only ${markersReached} of ${leakMarkers - 1} leak markers answer at all`]),
    ...(encodingsReached === 0 ? ['no disguised address reaches a leak marker, even without the guard'] : []),
    ...(honestDelivered ? [] : ['an honest receiver got nothing']),
    ...(allowedReached ? [] : ['the leak marker was not reached even where the operator allowed it']),
  ]
}
