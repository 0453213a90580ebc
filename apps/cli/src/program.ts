import { Command } from 'commander'
import { addAgents } from './commands/agents.ts'
import { addCompletion } from './commands/completion.ts'
import { addEvents } from './commands/events.ts'
import { addListen } from './commands/listen.ts'
import { addConfig, addLogin } from './commands/login.ts'
import { addRuns } from './commands/runs.ts'
import { addWebhooks } from './commands/webhooks.ts'
import { withExamples } from './example.ts'
import { version } from './version.ts'

/** `ars` with all its commands. It throws where commander would end the process: main.ts knows the exit codes. */
export const createProgram = (): Command => {
  const program = new Command('ars')
    .description('Agent Run Service from the command line.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .option('--json', 'print JSON: one document, or one a line for streams')
    .option('--base-url <url>', 'address of the API (or ARS_BASE_URL)')
    .option(
      '--api-key <key>',
      'API key; others on this computer can see it here, so ARS_API_KEY or `ars login` is better',
    )
    .option('--ca-file <file>', 'certificate to trust besides the usual ones (or ARS_CA_FILE)')
    .configureHelp({ showGlobalOptions: true })
    // With --json the error is a document, and main.ts prints it.
    .configureOutput({
      outputError: (text, write) =>
        process.argv.includes('--json') || write(`${text}Add --help to see how it is used.\n`),
    })
    .exitOverride()
    .addHelpText('after', exitCodeHelp)
  withExamples(program, 'ars login', 'ars agents list', 'ars listen --forward-to http://localhost:3000/hook')
  addLogin(program)
  addListen(program)
  addWebhooks(program)
  addRuns(program)
  addAgents(program)
  addEvents(program)
  addConfig(program)
  addCompletion(program)
  return program
}

const exitCodeHelp = `
Exit codes:
  0 done  1 it failed  2 usage  3 key missing, wrong or not allowed  4 not found
  5 too many requests, or the service is not there  130 interrupted
`
