import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { blocksOf } from './blocks.ts'
import type { Installed } from './ecosystem.ts'

export const skillFile = 'skills/agent-run-service/SKILL.md'

/** Runs every program of the skill in one language, with the installed package. */
export const tryPrograms = async (skill: string, language: string, installed: Installed): Promise<number> => {
  const blocks = blocksOf(skill, language)
  for (const block of blocks) await installed.run(block)
  return blocks.length
}

/** Runs the shell blocks of the skill in their order, in one shell, as a reader would. */
export const tryCommands = async (skill: string, env: NodeJS.ProcessEnv, cwd: string): Promise<number> => {
  const blocks = blocksOf(skill, 'sh')
  const child = spawn('bash', ['-euo', 'pipefail', '-c', blocks.join('\n')], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (output += part))
  const [status] = (await once(child, 'close')) as [number | null]
  if (status !== 0) throw new Error(`The commands of ${skillFile} ended with ${status}:\n${output.slice(-4_000)}`)
  return blocks.length
}
