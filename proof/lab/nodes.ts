import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryDir } from '@ars/tools/dev/server'
import { command } from '@ars/tools/release/command'

const arch = process.arch === 'arm64' ? 'arm64' : 'x64'

/** The older versions of Node that the packages support. Pinned. */
const versions = {
  node20: `npm:node-linux-${arch}@20.19.3`,
  node22: `npm:node-linux-${arch}@22.23.3`,
}

const home = join(repositoryDir, process.env.CI ? '.ci-state' : '.dev', 'nodes')

/** Installs them once and returns their files. */
export const keepNodes = async (): Promise<Readonly<Record<keyof typeof versions, string>>> => {
  const wanted = JSON.stringify({ private: true, dependencies: versions }, null, 2)
  const file = join(home, 'package.json')
  const found = { node20: nodeOf('node20'), node22: nodeOf('node22') }
  const isThere = Object.values(found).every((node) => existsSync(node)) && existsSync(file)
  if (isThere && readFileSync(file, 'utf8') === wanted) return found
  mkdirSync(home, { recursive: true })
  writeFileSync(file, wanted)
  await command('npm', ['install', '--no-audit', '--no-fund', '--no-update-notifier'], { cwd: home })
  return found
}

const nodeOf = (name: string): string => join(home, 'node_modules', name, 'bin/node')
