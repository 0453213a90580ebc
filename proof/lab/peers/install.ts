import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PartError } from '@ars/tools/dev/parts/part'
import { repositoryDir } from '@ars/tools/dev/server'
import { command } from '@ars/tools/release/command'

export type Installation = {
  peer: string
  /** The packages with exact versions. A folder with other ones is emptied. */
  wanted: string
  cache: string
  say(words: string): void
}

/** Where peers are installed: `asked` is relative to the folder of the caller. */
export const peersCache = (asked: string | undefined): string =>
  asked ? resolve(process.env.INIT_CWD ?? '', asked) : join(repositoryDir, '.dev/peers')

/** Installs a peer into its folder, once. Answers the folder. */
export const installOnce = async (
  { peer, wanted, cache, say }: Installation,
  install: (dir: string, run: (program: string, ...args: string[]) => Promise<string>) => Promise<void>,
): Promise<string> => {
  const dir = join(cache, peer)
  const mark = join(dir, 'installed')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return dir
  say(`Installing ${peer} into ${dir}`)
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  try {
    await install(dir, (program, ...args) => command(program, args, { cwd: dir, env: installEnv() }))
  } catch (error) {
    throw new PartError(
      `${peer} cannot be installed (${wanted.split('\n')[0]}), so it cannot be measured. ` +
        `Name the other peers with --peer.\n${(error as Error).message}`,
      { cause: error },
    )
  }
  writeFileSync(mark, wanted)
  return dir
}

/** The versions are exact, so Go needs neither the list of versions nor another toolchain. */
const installEnv = (): NodeJS.ProcessEnv => ({
  ...process.env,
  GOFLAGS: '-mod=mod -buildvcs=false',
  GOTOOLCHAIN: 'local',
  GOWORK: 'off',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
})
