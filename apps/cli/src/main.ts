#!/usr/bin/env node
import { CommanderError } from 'commander'
import { exitCodes } from './exit-code.ts'
import { failureOf, printFailure } from './failure.ts'
import { interruption, listenForInterruption } from './interruption.ts'
import { createProgram } from './program.ts'
import { wantsJson } from './wanted-format.ts'

listenForInterruption()
// The reader closed the pipe, for example `ars runs list | head -1`. That is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

const endBy = (error: unknown): number => {
  const isJson = wantsJson(process.argv.slice(2))
  if (error instanceof CommanderError && (error.exitCode === 0 || !isJson)) {
    // Commander has already printed the help, the version or the error.
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  }
  if (interruption.signal.aborted) return exitCodes.interrupted
  const failure = failureOf(error)
  process.stderr.write(`${printFailure(failure, { isJson })}\n`)
  return failure.exitCode
}

// Without `await`, which CommonJS cannot have here.
createProgram()
  .parseAsync()
  .catch((error: unknown) => {
    process.exitCode = endBy(error)
  })
