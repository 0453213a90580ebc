import { expect, test } from 'vitest'
import { connectorsBounds } from './bounds.ts'
import { nameTools, toolLimits } from './tool-list.ts'
import { type ListedTool, readManifest } from './tool-manifest.ts'

const read = (tool: Partial<ListedTool>) => readManifest({ name: 'act', inputSchema: {}, ...tool }, toolLimits)

/** A schema with this many bytes. */
const schemaOf = (bytes: number) => ({ description: 'x'.repeat(bytes - JSON.stringify({ description: '' }).length) })
const nested = (levels: number): Record<string, unknown> => (levels === 1 ? {} : { properties: nested(levels - 1) })

test('a tool with a larger or deeper schema than its row allows is refused with the reason', () => {
  const { bytes, count: levels } = connectorsBounds.toolSchema
  expect(read({ inputSchema: schemaOf(bytes) })).toHaveProperty('manifest')
  expect(read({ inputSchema: schemaOf(bytes + 1) })).toEqual({ fault: `its schema is larger than ${bytes} bytes` })
  expect(read({ inputSchema: nested(levels + 1) })).toHaveProperty('manifest')
  expect(read({ inputSchema: nested(levels + 2) })).toEqual({ fault: `its schema is deeper than ${levels} levels` })
})

test('title, description and the name that a model sees are cut to their rows', () => {
  const long = 'x'.repeat(100_000)
  const found = read({ title: long, description: long })
  if (!('manifest' in found)) throw new Error(found.fault)
  expect(Buffer.byteLength(found.manifest.title ?? '')).toBe(connectorsBounds.toolTitle.bytes)
  expect(Buffer.byteLength(found.manifest.description)).toBe(connectorsBounds.toolDescription.bytes)
  const [named] = nameTools([{ connectorId: 'con_1', remoteName: 'x'.repeat(128) }])
  expect(named?.name).toMatch(/^x+_[0-9a-z]{8}$/)
  expect(named?.name).toHaveLength(connectorsBounds.toolNameOfModel.chars)
})
