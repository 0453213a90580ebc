import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryDir } from '@ars/tools/dev/server'
import { run } from './sdk.ts'

/** Programs of other people that judge or use the package. Pinned; each release is older than a week. */
const versions: Readonly<Record<string, string>> = {
  '@arethetypeswrong/cli': '0.18.5',
  '@types/node': '20.19.0',
  bun: '1.4.3',
  deno: '2.9.6',
  esbuild: '0.28.2',
  publint: '0.3.25',
  typedoc: '0.28.20',
  typescript: '5.9.3',
  'typescript-old': 'npm:typescript@5.4.5',
  vite: '8.3.6',
}

const home = join(repositoryDir, process.env.CI ? '.ci-state' : '.dev', 'typescript-tools')

/** Installs the programs once and returns their folder. */
export const keepTools = async (): Promise<string> => {
  const wanted = JSON.stringify({ private: true, dependencies: versions }, null, 2)
  const file = join(home, 'package.json')
  const isThere = existsSync(join(home, 'node_modules/.bin/attw'))
  if (isThere && readFileSync(file, 'utf8') === wanted) return join(home, 'node_modules')
  mkdirSync(home, { recursive: true })
  writeFileSync(file, wanted)
  await npmInstall(home)
  return join(home, 'node_modules')
}

export const npmInstall = (cwd: string, ...packages: string[]): Promise<string> =>
  run({
    program: 'npm',
    args: ['install', '--no-audit', '--no-fund', '--no-update-notifier', ...packages],
    cwd,
    env: process.env,
  })
