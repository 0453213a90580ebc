import { expect, test } from 'vitest'
import { openPrograms } from './postgres-program.ts'

test('a program that is silent for too long, or runs for too long, is stopped (serverBounds.backupSilence)', async () => {
  const programs = openPrograms({ PATH: '/usr/bin:/bin' }, 1)
  const forSilence = programs('sleep', { args: ['60'], limitMs: null, silenceMs: 50 })
  await expect(forSilence).rejects.toThrow('sleep made no progress for 0 s and was stopped.')
  await expect(programs('sleep', { args: ['60'], limitMs: 50 })).rejects.toThrow('did not end within 0 minutes')
})
