import { expect, test } from 'vitest'
import { after, allTypes, frames, open, typesOf } from './frames.ts'
import { startService } from './service.ts'

test('a stream that breaks after any byte resumes after the last complete frame and yields each frame once', async () => {
  const whole = Buffer.from(frames.join(''))
  let cut = 0
  const { client, seen } = await startService((request, response) => {
    if (request.method === 'GET') return open(response, after(request)).end()
    open(response)
    response.write(whole.subarray(0, cut), () => response.socket?.destroy())
  })
  for (cut = 0; cut <= whole.length; cut++) {
    seen.length = 0
    expect(await typesOf(client.runs.stream({ agent_id: 'ag_1', input: {} }))).toEqual(allTypes)
    expect(seen.length).toBeLessThanOrEqual(2)
    if (seen[1]) expect(seen[1].url).toBe('/v2/runs/run_1/stream')
  }
})
