import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command } from '@ars/tools/release/command'
import type { Ecosystem } from './ecosystem.ts'

export const node: Ecosystem = {
  kinds: ['npm'],
  readme: 'sdks/typescript/README.md',
  language: 'ts',
  runsSkill: true,
  install: async (artefact, { out, dir, env }) => {
    writeFileSync(join(dir, 'package.json'), '{ "private": true, "type": "module" }\n')
    const options = ['--no-audit', '--no-fund', '--no-update-notifier', '--ignore-scripts']
    await command('npm', ['install', ...options, join(out, artefact.file)], { cwd: dir })
    const tree = JSON.parse(await command('npm', ['ls', '--all', '--json'], { cwd: dir }))
    const found = Object.keys(tree.dependencies?.[artefact.name]?.dependencies ?? {})
    // The SDK has none. One that has needs its graph here, and this says so.
    if (found.length > 0) throw new Error(`${artefact.name} depends on ${found.join(', ')}`)
    let count = 0
    return {
      dependencies: [],
      needs: [],
      run: async (code) => {
        const file = `example-${++count}.mjs`
        writeFileSync(join(dir, file), code)
        return command(process.execPath, [file], { cwd: dir, env })
      },
    }
  },
}
