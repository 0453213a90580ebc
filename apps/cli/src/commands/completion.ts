import { Argument, type Command } from 'commander'
import { bashScript } from '../completion/bash.ts'
import { fishScript } from '../completion/fish.ts'
import { zshScript } from '../completion/zsh.ts'
import { describe, withExamples } from '../describe.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

export const addCompletion = (program: Command): void => {
  withExamples(
    program
      .command('completion')
      .description('print a script that completes commands in your shell')
      .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(scripts)))
      .action((shell: keyof typeof scripts) => {
        process.stdout.write(scripts[shell](describe(program)))
      }),
    'source <(ars completion bash)',
    'source <(ars completion zsh)',
    'ars completion fish | source',
  )
  // The reference page is generated from this.
  program
    .command('describe', { hidden: true })
    .description('print all commands as JSON')
    .action(() => {
      process.stdout.write(`${JSON.stringify(describe(program), null, 2)}\n`)
    })
}
