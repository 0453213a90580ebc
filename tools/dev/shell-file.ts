import { chmodSync, cpSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { getCACertificates } from 'node:tls'
import { isSource, releaseFile } from '@ars/platform/release-files'
import { exampleUrls } from './dev-settings.ts'
import { repositoryDir } from './server.ts'
import type { Stack } from './stack.ts'

/**
 * Writes the file that a terminal sources to use this stack: variables for `ars`, the SDKs, curl and the programs in
 * examples/, and the functions of functions.sh. Only the owner can read it, because it holds the API key.
 */
export const writeShellFile = (stack: Stack, apiKey: string): string => {
  const file = join(stack.dir, 'env')
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, shellText(stack, apiKey), { mode: 0o600 })
  chmodSync(draft, 0o600)
  renameSync(draft, file)
  return file
}

const shellText = (stack: Stack, apiKey: string): string => {
  const { certFile, keyFile } = stack.tls
  const bundle = writeBundle(stack)
  const variables = {
    ARS_BASE_URL: `${stack.env('all').ARS_PUBLIC_URL}/v2`,
    ARS_API_KEY: apiKey,
    ARS_CA_FILE: certFile,
    NODE_EXTRA_CA_CERTS: bundle,
    CURL_CA_BUNDLE: bundle,
    // Go and OpenSSL.
    SSL_CERT_FILE: bundle,
    TLS_CERT: certFile,
    TLS_KEY: keyFile,
    ...exampleUrls(stack.ports),
    EXAMPLES: examplesOf(stack),
    STACK_DIR: stack.dir,
  }
  return [
    `# Source it in sh, bash or zsh: . ${join(stack.dir, 'env')}`,
    ...Object.entries(variables).map(([name, value]) => `export ${name}=${quote(value)}`),
    `_ars_program=${quote(arsProgram())}`,
    `. ${quote(releaseFile('tools/dev/functions.sh'))}`,
    '',
  ].join('\n')
}

/** The programs of examples/. Node executes TypeScript only outside of node_modules, so those of a package are copied. */
const examplesOf = ({ dir }: Stack): string => {
  if (isSource) return join(repositoryDir, 'examples')
  const folder = join(dir, 'examples')
  cpSync(releaseFile('examples'), folder, { recursive: true })
  return folder
}

/** The command line: that of a clone, or the package beside this one. */
const arsProgram = (): string =>
  isSource
    ? join(repositoryDir, 'apps/cli/src/main.ts')
    : createRequire(import.meta.url).resolve('@agent-run-service/cli/dist/ars.cjs')

/**
 * curl and Go trust the file that they are given and nothing else, so the public authorities stand in it too. Those that the terminal
 * trusted before are there as well, because the variables replace its own.
 */
const writeBundle = (stack: Stack): string => {
  const file = join(stack.dir, 'tls', 'bundle.pem')
  writeFileSync(file, [readFileSync(stack.tls.certFile, 'utf8').trim(), ...getCACertificates('default'), ''].join('\n'))
  return file
}

/** A word of a shell command. */
export const quote = (text: string): string => (/^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
