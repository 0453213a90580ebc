import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildDashboard } from '../dev/dashboard-build.ts'
import type { Artefact } from './artefact.ts'
import { command } from './command.ts'

/** `ars-server` with everything that it needs but Node, as an archive that holds one folder. The same sources give the same bytes. */
export const buildServerBundle = async (root: string, out: string): Promise<Artefact> => {
  const { version } = JSON.parse(readFileSync(join(root, 'apps/server/package.json'), 'utf8'))
  const folder = `ars-server-${version}`
  const file = join('server', `${folder}-${process.platform}-${process.arch}.tar.gz`)
  const work = join(out, 'server', 'work')
  mkdirSync(work, { recursive: true })
  await buildDashboard()
  await command(process.execPath, ['build.ts', join(work, folder)], { cwd: join(root, 'apps/server') })
  await packFolder(work, folder, join(out, file))
  rmSync(work, { recursive: true })
  const purl = `pkg:generic/ars-server@${version}?arch=${process.arch}&os=${process.platform}`
  return { kind: 'server', name: 'ars-server', version, purl, file }
}

/** Without what differs from one computer to the next: order, owners, dates, permissions of the user. */
const packFolder = async (parent: string, folder: string, archive: string): Promise<void> => {
  const fixed = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX']
  const tar = join(dirname(archive), 'work.tar')
  await command('tar', ['--create', `--file=${tar}`, ...fixed, '--format=gnu', folder], { cwd: parent })
  await command('gzip', ['--no-name', '--best', tar], { cwd: parent })
  renameSync(`${tar}.gz`, archive)
}
