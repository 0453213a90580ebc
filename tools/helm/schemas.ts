import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { kubernetesVersion } from './control-plane.ts'
import { readModuleFile } from './install.ts'

// The schemas of the kinds in the chart, for kubeconform, which would fetch them from the internet. Those of the two kinds of the
// Prometheus operator are written by hand: only the fields that the chart uses.

const definitionOf: Readonly<Record<string, string>> = {
  Deployment: 'io.k8s.api.apps.v1.Deployment',
  HorizontalPodAutoscaler: 'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
  Ingress: 'io.k8s.api.networking.v1.Ingress',
  Job: 'io.k8s.api.batch.v1.Job',
  NetworkPolicy: 'io.k8s.api.networking.v1.NetworkPolicy',
  PodDisruptionBudget: 'io.k8s.api.policy.v1.PodDisruptionBudget',
  Service: 'io.k8s.api.core.v1.Service',
  ServiceAccount: 'io.k8s.api.core.v1.ServiceAccount',
}

type Node = { [key: string]: unknown }

export const schemasDir = join(import.meta.dirname, 'schemas')

export const writeSchemas = (): void => {
  mkdirSync(schemasDir, { recursive: true })
  const { definitions } = JSON.parse(
    readModuleFile(`k8s.io/kubernetes@${kubernetesVersion}`, 'api/openapi-spec/swagger.json'),
  ) as { definitions: Record<string, Node> }
  const write = (kind: string, schema: unknown): void =>
    writeFileSync(join(schemasDir, `${kind.toLowerCase()}.json`), `${JSON.stringify(schema)}\n`)
  for (const [kind, name] of Object.entries(definitionOf)) {
    const used: Record<string, unknown> = {}
    collect(name, definitions, used)
    write(kind, { ...(used[name] as Node), definitions: used })
  }
}

const collect = (name: string, all: Record<string, Node>, used: Record<string, unknown>): void => {
  if (name in used) return
  used[name] = null
  used[name] = strict(all[name] ?? {}, (other) => collect(other, all, used))
}

/** Without descriptions, and with no properties but the known ones. */
const strict = (node: Node, onReference: (name: string) => void): unknown => {
  if (typeof node.$ref === 'string') {
    onReference(node.$ref.replace('#/definitions/', ''))
    return { $ref: node.$ref }
  }
  if (node.format === 'int-or-string') return { type: ['string', 'integer'] }
  const deeper = (value: unknown): unknown => strict(value as Node, onReference)
  const kept: Node = {}
  for (const key of ['type', 'enum', 'required']) if (key in node) kept[key] = node[key]
  if (node.items) kept.items = deeper(node.items)
  if (node.additionalProperties) kept.additionalProperties = deeper(node.additionalProperties)
  if (node.properties) {
    kept.properties = Object.fromEntries(Object.entries(node.properties).map(([key, value]) => [key, deeper(value)]))
    kept.additionalProperties = false
  }
  return kept
}
