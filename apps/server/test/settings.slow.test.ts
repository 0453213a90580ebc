import { Config } from '@ars/core/config'
import { parseConfig, variableName } from '@ars/platform/config'
import { createLog } from '@ars/platform/log/log'
import { createShutdown } from '@ars/platform/shutdown'
import { afterAll, test } from 'vitest'
import { start } from '../src/serve.ts'
import { explainStart } from '../src/start-fault.ts'
import { freePort, startApp } from './app.ts'
import { expectSentence, removeFolder, wrongSettings } from './settings-table.ts'

/* Each wrong value is one start of a process, inside this one. */

afterAll(removeFolder)

test('a wrong file, folder or address to listen on ends the start with a sentence that names the setting', async () => {
  const app = await startApp({ role: 'gateway' })
  const log = createLog({ level: 'silent' })
  for (const [field, row] of Object.entries(wrongSettings)) {
    if (!row || 'parse' in row) continue
    for (const value of row.start) {
      const env: NodeJS.ProcessEnv = {
        ...app.env,
        ARS_HTTP_PORT: String(await freePort()),
        ARS_METRICS_PORT: String(await freePort()),
        ARS_TEST_STACK: 'true',
        ...row.with,
        [variableName(field)]: value,
      }
      const config = parseConfig(Config, env)
      const shutdown = createShutdown(log)
      const outcome = await start({ role: row.role, config, environment: env, log, shutdown }).catch((error) => error)
      await shutdown.run('test')
      expectSentence(explainStart(outcome, config), variableName(field), value)
    }
  }
  await app.stop()
})
