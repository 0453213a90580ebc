import { Command, Help, Option } from 'commander'
import { addAccount } from './commands/account.ts'
import { addAgents } from './commands/agents.ts'
import { addApi } from './commands/api.ts'
import { addApply } from './commands/apply.ts'
import { addAudit } from './commands/audit.ts'
import { addBatches } from './commands/batches.ts'
import { addBudgets } from './commands/budgets.ts'
import { addCompletion } from './commands/completion.ts'
import { addConnectors } from './commands/connectors.ts'
import { addDoctor } from './commands/doctor.ts'
import { addEvents } from './commands/events.ts'
import { addInit } from './commands/init.ts'
import { addKeys } from './commands/keys.ts'
import { addListen } from './commands/listen.ts'
import { addConfig, addLogin } from './commands/login.ts'
import { addOperations } from './commands/operations.ts'
import { addPipelineRuns } from './commands/pipeline-runs.ts'
import { addPipelines } from './commands/pipelines.ts'
import { addPolicies } from './commands/policies.ts'
import { addReleases } from './commands/releases.ts'
import { addRuns } from './commands/runs.ts'
import { addSchedules } from './commands/schedules.ts'
import { addUsage } from './commands/usage.ts'
import { addWebhooks } from './commands/webhooks.ts'
import { requiredMark, withExamples } from './describe.ts'
import { formats } from './terminal.ts'
import { version } from './version.ts'
import { wantsJson } from './wanted-format.ts'

const help = new Help()

/** `ars` with all commands. It throws instead of exiting, because main.ts sets the exit code. */
export const createProgram = (): Command => {
  const program = new Command('ars')
    .description('Agent Run Service from the command line.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .option('--json', 'print JSON: one document, or one per line for streams; the same as --output json')
    .addOption(new Option('--output <format>', 'the form of the output').choices([...formats]))
    .option('--profile <name>', 'settings with this name from the settings file (or ARS_PROFILE)')
    .option('--base-url <url>', 'base URL of the API (or ARS_BASE_URL)')
    .option('--api-key <key>', 'API key; visible to other users of this computer, so prefer ARS_API_KEY or `ars login`')
    .option('--ca-file <file>', 'additional certificate to trust (or ARS_CA_FILE)')
    .configureHelp({
      showGlobalOptions: true,
      optionDescription: (option) => requiredMark(option) + help.optionDescription(option),
    })
    // Where JSON was asked for, main.ts prints the error as JSON.
    .configureOutput({
      outputError: (text, write) => wantsJson(process.argv.slice(2)) || write(`${text}Use --help for usage.\n`),
    })
    .exitOverride()
    .addHelpText('after', exitCodeHelp)
  withExamples(program, 'ars login', 'ars agents list', 'ars listen --forward-to http://localhost:3000/hook')
  addLogin(program)
  addInit(program)
  addAccount(program)
  addDoctor(program)
  addListen(program)
  addWebhooks(program)
  addRuns(program)
  addAgents(program)
  addApply(program)
  addPipelines(program)
  addPipelineRuns(program)
  addSchedules(program)
  addBatches(program)
  addConnectors(program)
  addReleases(program)
  addPolicies(program)
  addEvents(program)
  addKeys(program)
  addAudit(program)
  addUsage(program)
  addBudgets(program)
  addConfig(program)
  addApi(program)
  addOperations(program)
  addCompletion(program)
  return program
}

const exitCodeHelp = `
Exit codes:
  0 done  1 it failed  2 usage  3 key missing, wrong or not allowed  4 not found
  5 too many requests, or the service is not there  6 the run has not ended
  130 interrupted
`
