import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryDir } from '@ars/tools/dev/server'

/** The commands in the section "Installation" of the README of an SDK: from a registry, and from a clone. */
export const installationOf = (folder: 'go' | 'python'): { fromRegistry: string; fromClone: string } => {
  const page = readFileSync(join(repositoryDir, 'sdks', folder, 'README.md'), 'utf8')
  const [, section = ''] = page.split(/^## Installation$/m)
  const [own = ''] = section.split(/^## /m)
  const blocks = [...own.matchAll(/^```sh.*\n([\s\S]*?)^```/gm)].map(([, code = '']) => code)
  const [fromRegistry, fromClone, ...others] = blocks
  if (!fromRegistry || !fromClone || others.length > 0)
    throw new Error(`sdks/${folder}/README.md has ${blocks.length} blocks under "Installation", expected 2`)
  return { fromRegistry, fromClone }
}
