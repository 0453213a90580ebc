import { AgentRunService, type Fetch } from '@agent-run-service/sdk'
import { noteAnswer, noteFailure } from './connection.ts'

/** Every call passes here, so that the bars below the header know about limits, outages and ended sessions. */
const watched: Fetch = async (url, init) => {
  try {
    const answer = await fetch(url, init)
    noteAnswer(answer)
    return answer
  } catch (error) {
    if (!init.signal?.aborted) noteFailure()
    throw error
  }
}

export const client = new AgentRunService({ auth: 'cookie', fetch: watched })

/** The address that programs of customers use. */
export const apiAddress = client.baseUrl
