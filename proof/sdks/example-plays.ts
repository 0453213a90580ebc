import { deepEqual, equal, match } from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Play } from './program-at.ts'
import { onPage } from './program-page.ts'

/** What the longer examples must do: each solves a problem from end to end, and is written in one language. */
export const examplePlays: Readonly<Record<string, Play>> = {
  triage: async ({ client, serve }) => {
    const serving = await serve({})
    await serving.says('listening')
    const receive = async (id: string): Promise<string> => {
      const message = { id, customer: 'Ms Okafor', subject: `Charged twice (${id})`, message: 'Please pay one back.' }
      const url = `http://localhost:${serving.port}/messages`
      const response = await globalThis.fetch(url, { method: 'POST', body: JSON.stringify(message) })
      return ((await response.json()) as { run: string }).run
    }
    const [first, second] = [await receive('T-1'), await receive('T-2')]
    equal(await receive('T-1'), first, 'a message that comes again makes no second run')
    await onPage(serving, async (page) => {
      for (const [ticket, button] of [
        ['T-1', 'approve'],
        ['T-2', 'reject'],
      ] as const) {
        const row = page.getByRole('row').filter({ hasText: `(${ticket})` })
        await row.getByText('A colleague will look into it').waitFor()
        await row.getByRole('button', { name: button }).click()
        await row.getByText('other, normal, for support').waitFor()
        equal(await row.getByRole('button').count(), 0)
      }
    })
    const decisions = await Promise.all([first, second].map(async (id) => (await client.runs.get(id)).output?.approval))
    deepEqual(decisions, ['approved', 'rejected'])
    const again = await serve({})
    await again.says('listening')
    const tickets = await globalThis.fetch(`http://localhost:${again.port}/tickets`)
    equal(((await tickets.json()) as unknown[]).length, 2, 'after a restart everything is there')
  },

  extraction: async ({ client, folder, run }) => {
    const documents = join(folder, 'invoices')
    mkdirSync(documents)
    writeFileSync(join(documents, 'one.txt'), 'Invoice 2026-014 of 1 December 2026: 119.00 euros.')
    const simulated = await run({ args: ['invoices', 'invoices.csv'] })
    equal(simulated.status, 0, simulated.output)
    equal(simulated.output, '1 documents, 1 to review\n')
    match(readFileSync(join(folder, 'invoices.csv'), 'utf8'), /^one\.txt,,,,number total date\r?$/m)

    // A model that answers; a second document that no agent accepts.
    const [agent] = (await client.agents.list({ q: 'extraction-example' })).data
    const found = { number: '2026-014', total: '119.00', date: '2026-12-01' }
    const fields = Object.entries(found).map(([name, value]) => ({ name, value, quote: value, confidence: 'high' }))
    await client.agents.update(agent?.id ?? '', { config: { script: [{ json: { fields } }] } })
    writeFileSync(join(documents, 'two.txt'), '')
    const answered = await run({ args: ['invoices', 'invoices.csv'] })
    equal(answered.output, '2 documents, 1 to review\n')
    const table = readFileSync(join(folder, 'invoices.csv'), 'utf8').split(/\r?\n/)
    equal(table[1], 'one.txt,2026-014,119.00,2026-12-01,')
    match(table[2] ?? '', /^two\.txt,,,,.*text/)
    const { data } = await client.batches.list()
    equal((await run({ args: ['invoices', 'invoices.csv'] })).output, answered.output)
    equal((await client.batches.list()).data.length, data.length, 'a second start makes no batch')
  },
}
