#!/usr/bin/env node
// Runs on every Node, to say which one the service needs: an older one cannot load the program.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 24 || (major === 24 && minor >= 12)) await import('./dist/local.mjs')
else {
  // biome-ignore lint/suspicious/noConsole: a program at a terminal.
  console.error(`agent-run-service needs Node 24.12 or newer. This is Node ${process.versions.node}.`)
  process.exitCode = 1
}
