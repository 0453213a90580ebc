import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { enteringText } from '@ars/core/guardrails'
import { type App, patient, startApp, type Tenant } from '../app.ts'
import { type Parties, startParties } from './parties.ts'
import { columnsWith, type Watched } from './scan.ts'

/** What runs are told, what an organisation sets up, and what it keeps secret. No other test says it, because some tables belong to no organisation. */
export const words = { told: 'quetzalcoatl', setUp: 'huitzilopochtli', secret: 'coyolxauhqui' } as const

/** An app and the parties that it may call. */
export type World = { app: App; parties: Parties; close(): Promise<void> }

export const startWorld = async (): Promise<World> => {
  const parties = await startParties(words.told, words.setUp)
  const folder = mkdtempSync(join(tmpdir(), 'text-places-'))
  const file = join(folder, 'models.yaml')
  writeFileSync(file, parties.models)
  const app = patient(await startApp({ env: { ...parties.env, ARS_MODELS_FILE: file } }))
  return {
    app,
    parties,
    close: async () => {
      await app.stop()
      await parties.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** All places where a word was found after it was said. */
export type Found = {
  planted: string[]
  columns: string[]
  shown: string[]
  sent: string[]
  isLogged: boolean
}

export const find = async (
  { app, parties }: World,
  tenant: Tenant,
  { word, planted, shown }: Watched & { word: string },
): Promise<Found> => ({
  planted: [...planted].toSorted(),
  columns: await columnsWith(app, tenant, word),
  shown: [...shown].toSorted(),
  sent: parties.sent(word).toSorted(),
  isLogged: app.logLines.some((line) => line.includes(word)),
})

export const fieldsIn = (judgements: readonly (keyof typeof enteringText)[]): string[] =>
  judgements.flatMap((judgement) =>
    [...(enteringText[judgement] ?? [])].flatMap((line) => {
      const [operation, ...names] = line.split(' ')
      return names.map((name) => `${operation} ${name}`)
    }),
  )
