import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Artefact } from '@ars/tools/release/artefact'
import { command } from '@ars/tools/release/command'
import type { Installed, Place } from './ecosystem.ts'
import { bundledOf } from './program.ts'

/** Unpacks the bundle and starts it in an empty folder. `bundle.test.ts` plays it with a database and an engine. */
export const tryServer = async (
  { file, name, version }: Artefact,
  { out, dir, env }: Place,
): Promise<Pick<Installed, 'dependencies' | 'needs'>> => {
  await command('tar', ['-xzf', join(out, file)], { cwd: dir })
  const folder = join(dir, `${name}-${version}`)
  const cwd = join(dir, 'empty')
  mkdirSync(cwd)
  const printed = await command(process.execPath, [join(folder, 'main.mjs'), '--version'], { cwd, env })
  if (printed !== `${version}\n`) throw new Error(`ars-server --version printed ${printed.slice(0, 200)}`)
  await command(process.execPath, [join(folder, 'main.mjs'), 'catalog', 'check'], { cwd, env })
  return bundledOf([], join(folder, 'bundled.json'))
}
