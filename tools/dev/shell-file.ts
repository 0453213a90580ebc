import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates } from 'node:tls'
import { isSource } from '@ars/platform/release-files'
import { exampleUrls } from './dev-settings.ts'
import { repositoryDir } from './server.ts'
import type { Stack } from './stack.ts'

/**
 * Writes the file that a terminal sources to use this stack: variables for `ars`, the SDKs, curl and the programs in
 * examples/, and in a clone the functions of functions.sh. Only the owner can read it, because it holds the API key.
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
  const variables = {
    ARS_BASE_URL: `${stack.env('all').ARS_PUBLIC_URL}/v2`,
    ARS_API_KEY: apiKey,
    ARS_CA_FILE: certFile,
    NODE_EXTRA_CA_CERTS: certFile,
    CURL_CA_BUNDLE: writeBundle(stack),
    TLS_CERT: certFile,
    TLS_KEY: keyFile,
    ...exampleUrls(stack.ports),
  }
  return [
    `# Source it in sh, bash or zsh: . ${join(stack.dir, 'env')}`,
    ...Object.entries(variables).map(([name, value]) => `export ${name}=${quote(value)}`),
    ...(isSource
      ? [`_ars_clone=${quote(repositoryDir)}`, `. ${quote(join(repositoryDir, 'tools/dev/functions.sh'))}`]
      : []),
    '',
  ].join('\n')
}

/** curl trusts the file that it is given and nothing else, so the public authorities stand in it too. */
const writeBundle = (stack: Stack): string => {
  const file = join(stack.dir, 'tls', 'bundle.pem')
  writeFileSync(file, [readFileSync(stack.tls.certFile, 'utf8').trim(), ...getCACertificates('default'), ''].join('\n'))
  return file
}

/** A word of a shell command. */
export const quote = (text: string): string => (/^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
