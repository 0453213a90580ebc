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

let expected: string | undefined

/** Sent with every call, so that a tab cannot write to the organisation that another tab has switched to. */
export const expectOrganisation = (id: string | undefined): void => {
  expected = id
}

export const client = new AgentRunService({ auth: 'cookie', fetch: watched, organisation: () => expected })

/** For logins and the session itself, which may concern another organisation than this tab. */
export const account = new AgentRunService({ auth: 'cookie', fetch: watched }).auth

/** The address that programs of customers use. */
export const apiAddress = client.baseUrl
