import { fileURLToPath } from 'node:url'
import { type ProgramEnd, runProgram } from '@ars/testkit/program'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** The program, run as an operator runs it, with these settings only. */
export const arsServer = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<ProgramEnd> =>
  runProgram(main, args, env)
