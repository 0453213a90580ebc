#!/usr/bin/env node
import { CommanderError } from 'commander'
import { exitCodes } from './exit-code.ts'
import { failureOf, printFailure } from './failure.ts'
import { interruption, listenForInterruption } from './interruption.ts'
import { createProgram } from './program.ts'

listenForInterruption()
// Whoever reads us has had enough: `ars runs list | head -1` is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

const program = createProgram()
try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = endBy(error)
}

function endBy(error: unknown): number {
  const isJson = process.argv.includes('--json')
  if (error instanceof CommanderError && (error.exitCode === 0 || !isJson)) {
    // Commander has said it already: the help, the version, or what is wrong with the command line.
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  }
  if (interruption.signal.aborted) return exitCodes.interrupted
  const failure = failureOf(error)
  process.stderr.write(`${printFailure(failure, { isJson })}\n`)
  return failure.exitCode
}
