import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Artefact } from '@ars/tools/release/artefact'
import { command } from '@ars/tools/release/command'
import type { Installed, Place } from './ecosystem.ts'
import { bundledOf, nodeItself } from './program.ts'

type Tried = Pick<Installed, 'dependencies' | 'needs'>
type Trial = (artefact: Artefact, place: Place) => Promise<Tried>

/** Unpacks the bundle and starts it in an empty folder. `bundle.test.ts` plays it with a database and an engine. */
const tryBundle: Trial = async ({ file, name, version }, { out, dir, env }) => {
  await command('tar', ['-xzf', join(out, file)], { cwd: dir })
  const folder = join(dir, `${name}-${version}`)
  await tryCommands([process.execPath, join(folder, 'main.mjs')], { version, dir, env })
  for (const site of ['apps/dashboard/dist', 'apps/docs-site/dist'])
    if (!existsSync(join(folder, site, 'index.html'))) throw new Error(`the bundle has no ${site}/index.html`)
  return bundledOf([], join(folder, 'bundled.json'))
}

/** Starts the executable file in an empty folder, without Node. */
const tryExecutable: Trial = async ({ file, version }, { out, dir, env }) => {
  const own = { ...env, XDG_CACHE_HOME: join(dir, 'cache') }
  const [home] = (await tryCommands([join(out, file)], { version, dir, env: own })).match(/\/\S+(?=\/catalog\/)/) ?? []
  return bundledOf([nodeItself], join(home ?? dir, 'bundled.json'))
}

/** Unpacks the layer of the image and starts its program, without the libraries of this computer. */
const tryImage: Trial = async ({ file, version }, { out, dir, env }) => {
  await command('tar', ['-xf', join(out, file)], { cwd: dir })
  const [{ Layers: layers }] = JSON.parse(await command('cat', ['manifest.json'], { cwd: dir }))
  const root = join(dir, 'root')
  mkdirSync(root)
  await command('tar', ['-xf', join(dir, layers[0]), '-C', root], { cwd: dir })
  await tryCommands(['/usr/sbin/chroot', root, '/usr/local/bin/node', '/opt/ars/main.mjs'], { version, dir, env })
  return bundledOf([nodeItself], join(root, 'opt/ars/bundled.json'))
}

/** Installs the npm package with what it brings, and asks its program for the version. `pnpm first-commands` starts it. */
const tryNpm: Trial = async ({ file, name, version }, { out, dir, env }) => {
  writeFileSync(join(dir, 'package.json'), '{ "private": true }\n')
  const options = ['--no-audit', '--no-fund', '--no-update-notifier', '--ignore-scripts']
  await command('npm', ['install', ...options, join(out, file)], { cwd: dir })
  const printed = await command(join(dir, 'node_modules/.bin', name), ['--version'], {
    cwd: dir,
    env: { ...env, PATH: process.env.PATH },
  })
  if (printed !== `${version}\n`) throw new Error(`${name} --version printed ${printed.slice(0, 200)}`)
  const modules = join(dir, 'node_modules')
  const installed = globSync(['*/package.json', '@*/*/package.json'], { cwd: modules })
    .map((each) => JSON.parse(readFileSync(join(modules, each), 'utf8')))
    .filter((each) => each.name !== name)
    .map((each) => ({
      name: each.name,
      version: each.version,
      purl: `pkg:npm/${each.name.replace('@', '%40')}@${each.version}`,
      license: each.license ?? 'NOASSERTION',
      needs: [],
    }))
  return bundledOf(installed, join(modules, name, 'dist/bundled.json'))
}

export const serverTrials: Partial<Record<Artefact['kind'], Trial>> = {
  server: tryBundle,
  'npm-server': tryNpm,
  'server-executable': tryExecutable,
  image: tryImage,
}

/** `--version` and `catalog check`, whose text it answers. */
const tryCommands = async (
  [program = '', ...before]: readonly string[],
  { version, dir, env }: { version: string; dir: string; env: NodeJS.ProcessEnv },
): Promise<string> => {
  const cwd = join(dir, 'empty')
  mkdirSync(cwd)
  const printed = await command(program, [...before, '--version'], { cwd, env })
  if (printed !== `${version}\n`) throw new Error(`ars-server --version printed ${printed.slice(0, 200)}`)
  return command(program, [...before, 'catalog', 'check'], { cwd, env })
}
