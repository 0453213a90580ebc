import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PartError } from './parts/part.ts'
import type { Ports } from './parts/ports.ts'
import { repositoryDir } from './server.ts'
import type { Stack } from './stack.ts'

/** Where the programs in examples/ listen; variables of the file that a terminal sources. */
export const exampleUrls = ({ examples: [receiver, remoteAgent, mcpServer] }: Ports) => ({
  RECEIVER_URL: `https://127.0.0.1:${receiver}`,
  REMOTE_AGENT_URL: `https://127.0.0.1:${remoteAgent}/agent`,
  MCP_SERVER_URL: `https://127.0.0.1:${mcpServer}/mcp`,
})

// Ports that local web servers commonly use. Others are added with ARS_EGRESS_ALLOW_PORTS.
const usualPorts = [3000, 3443, 4443, 5000, 8000, 8080, 9000, 9443]

/**
 * Settings that only the stack of `pnpm dev` has. Webhooks, remote agents and connectors may lead to this computer, with
 * the certificate of the stack, and the models of `models.yaml` exist. A variable that is already set wins.
 */
export const devSettings = (stack: Pick<Stack, 'ports' | 'tls'>): NodeJS.ProcessEnv => {
  const { ARS_EGRESS_ALLOW_RANGES: ranges, ARS_EGRESS_ALLOW_PORTS: ports, ARS_EGRESS_CA_FILE: caFile } = process.env
  return {
    ARS_EGRESS_ALLOW_RANGES: ranges || '127.0.0.0/8,::1/128',
    ARS_EGRESS_ALLOW_PORTS: [...stack.ports.examples, ...usualPorts, ...(ports ? [ports] : [])].join(','),
    ARS_EGRESS_CA_FILE: caFile || stack.tls.certFile,
    ARS_MODELS_FILE: modelsFile(),
  }
}

/** The models file of the stack: ARS_MODELS_FILE if it is set, else `models.yaml` in the root of the repository. */
export const modelsFile = (): string | undefined => {
  const { ARS_MODELS_FILE: given } = process.env
  const own = join(repositoryDir, 'models.yaml')
  return given || (existsSync(own) ? own : undefined)
}

/** Keeps the first port of the stack in its directory, for `pnpm ars-server`. */
export const rememberPortBase = ({ dir, ports }: Stack): void => writeFileSync(portBaseFile(dir), `${ports.base}\n`)

export const rememberedPortBase = (dir: string): number => {
  const file = portBaseFile(dir)
  if (!existsSync(file)) throw new PartError(`There is no stack in ${dir}. Start it first`)
  return Number(readFileSync(file, 'utf8'))
}

const portBaseFile = (dir: string): string => join(dir, 'port-base')
