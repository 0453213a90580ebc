import { Config } from '@ars/core/config'
import { createMissingPartitions, summarisePartitions } from '@ars/core/retention'
import { parseConfig } from '@ars/platform/config'
import { createLog } from '@ars/platform/log/log'
import { type Command, tell } from './command.ts'
import { openSystem } from './with-services.ts'

/** Does what a worker does at its start and every hour, for an installation whose workers cannot. */
export const partitions: Command = {
  usage: '[--json]',
  does: 'create missing partitions and list the partitions of each table',
  options: { json: { type: 'boolean' } },
  run: async (env, values) => {
    const config = parseConfig(Config, env)
    const system = openSystem(config)
    try {
      const log = createLog({ level: 'silent' })
      const created = await createMissingPartitions({ system, log }, config.retentionDays)
      const tables = await summarisePartitions(system)
      const width = Math.max(...tables.map(({ table }) => table.length))
      return tell(values, { created, tables }, [
        `${created} partitions created.`,
        ...tables.map(
          ({ table, count, from, until }) => `${table.padEnd(width)}  ${from} to ${until}  ${count} partitions`,
        ),
      ])
    } finally {
      await system.close()
    }
  },
}
