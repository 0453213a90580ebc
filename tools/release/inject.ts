import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { command } from './command.ts'

// Node looks for these names in its own file.
const resource = 'NODE_SEA_BLOB'
const sentinelFuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

type Content = {
  /** A CommonJS program. */
  main: string
  /** Files that it can read, by the name that it uses. */
  assets?: Readonly<Record<string, string>>
}

/** Writes an executable file for the system of this computer: the Node that runs this, with a program inside. */
export const writeExecutable = async (root: string, file: string, content: Content): Promise<void> => {
  const folder = dirname(file)
  const [blob, config] = [join(folder, 'blob'), join(folder, 'config.json')]
  writeFileSync(config, JSON.stringify({ ...content, output: blob, disableExperimentalSEAWarning: true }))
  await command(process.execPath, ['--experimental-sea-config', config], { cwd: folder })
  // The file of Node is executable, and so is its copy.
  copyFileSync(process.execPath, file)
  const args = [file, resource, blob, '--sentinel-fuse', sentinelFuse]
  await command(join(root, 'tools/node_modules/.bin/postject'), args, { cwd: folder })
  for (const each of [blob, config]) rmSync(each)
}

/** The licence of the Node that runs this. */
export const nodeLicence = join(dirname(dirname(process.execPath)), 'LICENSE')
