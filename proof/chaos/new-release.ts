import { join } from 'node:path'
import { type ServerPart, server } from '@ars/tools/dev/server'
import type { Stage } from './scenario.ts'

/** A worker at a separate address: the engine sees it as another release. */
export const newRelease = ({ fleet }: Stage): ServerPart => {
  const { base } = fleet.stack.ports
  return server({
    name: 'new-worker',
    dir: join(fleet.stack.dir, 'servers'),
    role: 'worker',
    env: fleet.stack.env('worker', {
      ...fleet.serverEnv,
      ARS_WORKER_PORT: String(base + 15),
      ARS_WORKER_URL: `http://127.0.0.1:${base + 15}`,
      ARS_METRICS_PORT: String(base + 16),
    }),
  })
}
