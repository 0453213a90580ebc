import { request } from 'undici'
import { expect } from 'vitest'
import { type App, patient } from './app.ts'

/** What the gateway at this address of metrics holds in memory. */
export const heldBytes = async (budget: 'requests' | 'responses', url: string): Promise<number> => {
  const text = await (await request(`${url}/metrics`)).body.text()
  return Number(new RegExp(`^ars_bytes_held\\{budget="${budget}"\\} (\\d+)$`, 'm').exec(text)?.[1])
}
/** Whether the metrics have such a line. */
export const metric = async (line: RegExp, url: string): Promise<boolean> =>
  line.test(await (await request(`${url}/metrics`)).body.text())

export const mib = 1_048_576

/** Small bounds. An organisation gets a quarter: 2 MiB of bodies, 2 MiB of responses. */
export const bounds = { ARS_REQUEST_BYTES_MAX: String(8 * mib), ARS_RESPONSE_BYTES_MAX: String(8 * mib) }

/** A run whose response is large. */
export const makeBigRun = async (app: App): Promise<string> => {
  const run = await patient(app).call('POST', '/v2/runs', {
    body: { agent_id: app.tenant.agents['test-echo'], input: { query: 'y'.repeat(900_000) } },
  })
  expect(run.text.length, run.text.slice(0, 1_000)).toBeGreaterThan(1_800_000)
  return run.body.id
}
