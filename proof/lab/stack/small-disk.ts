import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { PartError } from '@ars/tools/dev/parts/part'

/** Folders of a stack that are small file systems in memory, with their MiB. Only root may mount them. */
export type SmallDisks = Readonly<Record<string, number>>

/** Mounts them before the stack starts. Answers how to take them away again. */
export const mountSmallDisks = (dir: string, disks: SmallDisks): (() => void) => {
  const mounted: string[] = []
  const unmount = (): void => {
    for (const folder of mounted.splice(0)) execFileSync('umount', ['--lazy', folder])
  }
  try {
    for (const [name, mib] of Object.entries(disks)) {
      const folder = join(dir, name)
      mkdirSync(folder, { recursive: true })
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mib}m,mode=0711`, 'tmpfs', folder], { stdio: 'pipe' })
      mounted.push(folder)
    }
  } catch (error) {
    unmount()
    throw new PartError(`A small file system cannot be mounted in ${dir}: this needs root`, { cause: error })
  }
  return unmount
}

/** Fills a file system; `leave`: the bytes that stay free. Answers how to give the space back. */
export const fillDisk = (folder: string, { leave = 0 }: { leave?: number } = {}): (() => void) => {
  const file = join(folder, 'filler')
  const filler = openSync(file, 'w')
  try {
    for (let chunk = Buffer.alloc(chunkBytes); chunk.length > 0; chunk = chunk.subarray(0, chunk.length >> 1))
      while (freeBytes(folder) > leave && hasRoom(filler, chunk));
  } finally {
    closeSync(filler)
  }
  return () => rmSync(file, { force: true })
}

const chunkBytes = 1024 * 1024

const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

const hasRoom = (file: number, chunk: Buffer): boolean => {
  try {
    writeSync(file, chunk)
    return true
  } catch {
    return false
  }
}
