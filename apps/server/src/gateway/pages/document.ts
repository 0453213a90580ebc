import { readFileSync } from 'node:fs'
import { apiBasePath } from '@ars/contract'
import { releaseFile } from '@ars/platform/release-files'
import { stringify } from 'yaml'

/** The OpenAPI document as it is served: with the address of this installation. */
export type ServedDocument = {
  readonly document: OpenApi
  readonly json: Buffer
  /** Written at the first request, because it takes a while. */
  yaml(): Buffer
}

/** What the pages read of the document. */
export type OpenApi = {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, OpenApiNode>>>>
}

export type OpenApiOperation = {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly OpenApiNode[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, OpenApiNode>>
}

type Content = Readonly<Record<string, Media>>
type Media = {
  readonly schema?: OpenApiNode
  readonly 'x-item-schema'?: OpenApiNode
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, OpenApiNode>>
}

/** A schema, a parameter or a response. */
export type OpenApiNode = {
  readonly $ref?: string
  readonly name?: string
  readonly in?: string
  readonly description?: string
  readonly required?: boolean | readonly string[]
  readonly schema?: OpenApiNode
  readonly content?: Content
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly value?: unknown
  readonly properties?: Readonly<Record<string, OpenApiNode>>
  readonly items?: OpenApiNode
  readonly anyOf?: readonly OpenApiNode[]
  readonly oneOf?: readonly OpenApiNode[]
  readonly additionalProperties?: boolean | OpenApiNode
}

export const serveDocument = (publicUrl: string): ServedDocument => {
  const text = readFileSync(releaseFile('packages/contract/openapi.json'), 'utf8')
  const document = {
    ...(JSON.parse(text) as OpenApi),
    servers: [{ url: `${publicUrl}${apiBasePath}`, description: 'This installation.' }],
  }
  let yaml: Buffer | undefined
  return {
    document,
    json: Buffer.from(JSON.stringify(document)),
    yaml: () => {
      yaml ??= Buffer.from(stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 }))
      return yaml
    },
  }
}

export const resolveNode = ({ components }: OpenApi, node: OpenApiNode): OpenApiNode => {
  if (node.$ref === undefined) return node
  const [, , type = '', name = ''] = node.$ref.split('/')
  return { ...components[type]?.[name], ...(node.description !== undefined && { description: node.description }) }
}
