import { mkdirSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { readSelfTimes } from '../../lab/measure/cpu-profile.ts'
import type { Tell } from '../../lab/measure/rounds.ts'
import { selfTimeTables } from '../../lab/report/profile-tables.ts'
import { endBoth, openBoth } from './case.ts'
import type { StreamLoad } from './load.ts'
import type { StreamOptions } from './options.ts'
import type { StreamSubject } from './subject.ts'

/** Says where the gateway's CPU time goes while streams are open; opening and ending them is in it too. */
export const profileStreams = async (bench: {
  subject: StreamSubject
  load: StreamLoad
  options: StreamOptions
  tell: Tell
}): Promise<string> => {
  const parts: string[] = []
  for (const protocol of bench.options.protocols) {
    for (const runs of bench.options.runs) parts.push(await profileCase(bench, { protocol, runs }))
  }
  return parts.join('\n')
}

const profileCase = async (
  { subject, load, options, tell }: Parameters<typeof profileStreams>[0],
  { protocol, runs }: Pick<Parameters<typeof openBoth>[1], 'protocol' | 'runs'>,
): Promise<string> => {
  const { streams, size } = options
  const dir = `${options.dir}-profile`
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  const servers = await subject.startServers({ NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${dir}` })
  try {
    await openBoth({ load, servers }, { protocol, streams, runs })
    servers.bare.speak(false)
    tell(`${protocol}, ${streams} streams of ${runs} runs`)
    await sleep(size.rounds * size.windowMs)
    await endBoth({ load, servers })
  } finally {
    await servers.stop()
  }
  const { busyMs, functions, owners } = readSelfTimes(dir)
  return `# Profile of the gateway: ${protocol}, ${streams} streams of ${runs} runs

Made by \`pnpm bench stream --profile\`: ${busyMs.toFixed(0)} ms busy, start, opening and ending included.

${selfTimeTables({ functions, owners })}
`
}
