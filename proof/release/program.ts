import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryDir } from '@ars/tools/dev/server'
import { command } from '@ars/tools/release/command'
import type { Dependency } from '@ars/tools/release/sbom'
import { keepNodes } from '../lab/nodes.ts'
import type { Ecosystem, Installed } from './ecosystem.ts'

// `ars` as customers install it. Its README has shell commands, which run with nothing but the program in PATH.

const page = { readme: 'apps/cli/README.md', language: 'sh', runsSkill: false } as const

/** The npm package, on every Node that it supports. */
export const npmProgram: Ecosystem = {
  ...page,
  kinds: ['npm-program'],
  install: async (artefact, { out, dir, env }) => {
    writeFileSync(join(dir, 'package.json'), '{ "private": true }\n')
    const options = ['--no-audit', '--no-fund', '--no-update-notifier', '--ignore-scripts']
    await command('npm', ['install', ...options, join(out, artefact.file)], { cwd: dir })
    const tree = JSON.parse(await command('npm', ['ls', '--all', '--json'], { cwd: dir }))
    const found = Object.keys(tree.dependencies?.[artefact.name]?.dependencies ?? {})
    if (found.length > 0) throw new Error(`${artefact.name} depends on ${found.join(', ')}`)
    const nodes = Object.values(await keepNodes())
    return {
      ...bundledOf([]),
      run: async (code) => {
        let output = ''
        for (const [n, node] of [...nodes, process.execPath].entries()) {
          const bin = join(dir, `node-${n}`)
          mkdirSync(bin)
          symlinkSync(node, join(bin, 'node'))
          // Also tries ARS_CA_FILE, without the help of Node's own variable.
          const own = { ...withoutNodes(env), PATH: `${join(dir, 'node_modules/.bin')}:${bin}:/usr/bin` }
          output = checked(await command('/bin/sh', ['-euc', code], { cwd: dir, env: own }), artefact.version)
        }
        return output
      },
    }
  },
}

/** The executable file, on a computer without Node. */
export const executable: Ecosystem = {
  ...page,
  kinds: ['executable'],
  install: async (artefact, { out, dir, env }) => {
    copyFileSync(join(out, artefact.file), join(dir, 'ars'))
    return {
      ...bundledOf([nodeItself]),
      run: async (code) => {
        const own = { ...withoutNodes(env), PATH: dir }
        return checked(await command('/bin/sh', ['-euc', code], { cwd: dir, env: own }), artefact.version)
      },
    }
  },
}

const withoutNodes = ({ NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv => env

/** The first line is that of `ars --version`. */
const checked = (output: string, version: string): string => {
  if (output.startsWith(`${version}\n`)) return output
  throw new Error(`ars --version printed ${output.slice(0, 200)}`)
}

export const nodeItself: Dependency = {
  name: 'node',
  version: process.versions.node,
  purl: `pkg:generic/node@${process.versions.node}`,
  license: 'MIT',
  needs: [],
}

/** The packages inside a program; nothing is installed with it. */
export const bundledOf = (
  others: readonly Dependency[],
  listFile = join(repositoryDir, 'apps/cli/dist/bundled.json'),
): Pick<Installed, 'dependencies' | 'needs'> => {
  const list = readFileSync(listFile, 'utf8')
  const packages = (JSON.parse(list) as { name: string; version: string; license: string }[]).map((each) => ({
    ...each,
    purl: `pkg:npm/${each.name.replace('@', '%40')}@${each.version}`,
    needs: [],
  }))
  const dependencies = [...others, ...packages]
  return { dependencies, needs: dependencies.map(({ purl }) => purl) }
}
