import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { findBinary } from '@ars/tools/dev/parts/binary'
import { repositoryDir } from '@ars/tools/dev/server'
import type { Part } from './proof.ts'

const programs: Readonly<Partial<Record<Part, () => string | undefined>>> = {
  postgres: () => globSync('/usr/lib/postgresql/*/bin/postgres').at(-1) ?? findBinary(['postgres']),
  redis: () => findBinary(['redis-server', 'valkey-server']),
  restate: () => join(repositoryDir, 'tools/node_modules/.bin/restate-server'),
  chromium: () => findBinary(['chromium', 'chromium-browser', 'google-chrome']),
  prometheus: () => findBinary(['prometheus']),
}

/** The versions of the parts that a proof used. */
export const toolsOf = (needs: readonly Part[]): Record<string, string> => ({
  node: process.versions.node,
  ...Object.fromEntries(
    needs.flatMap((part) => {
      const program = programs[part]?.()
      return program === undefined ? [] : [[part, versionOf(program)]]
    }),
  ),
})

const versionOf = (program: string): string => {
  const printed = execFileSync(program, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  return /\d+\.\d+(\.\d+)*/.exec(printed)?.[0] ?? 'unknown'
}
