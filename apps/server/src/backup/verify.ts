import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Programs } from './postgres-program.ts'

const Manifest = z.object({
  'WAL-Ranges': z.array(z.object({ Timeline: z.number(), 'Start-LSN': z.string(), 'End-LSN': z.string() })),
})

type Verifying = { limitMs: number; signal?: AbortSignal | undefined; ignore?: string }

/**
 * Compares the checksums of every file with those of the server, and reads the WAL that the copy needs. pg_verifybackup would start
 * pg_waldump through a shell, which the image does not have.
 */
export const verifyCopy = async (programs: Programs, data: string, how: Verifying): Promise<void> => {
  const { limitMs, signal, ignore } = how
  const left = ignore === undefined ? [] : [`--ignore=${ignore}`]
  await programs('pg_verifybackup', { args: ['--quiet', '--no-parse-wal', ...left, data], limitMs, signal })
  const manifest = Manifest.parse(JSON.parse(readFileSync(join(data, 'backup_manifest'), 'utf8')))
  for (const range of manifest['WAL-Ranges'])
    await programs('pg_waldump', {
      args: [
        '--quiet',
        ...['--path', join(data, 'pg_wal')],
        ...['--timeline', String(range.Timeline)],
        ...['--start', range['Start-LSN']],
        ...['--end', range['End-LSN']],
      ],
      limitMs,
      signal,
    })
}
