import { lowestId } from '@ars/platform/id-range'

/** In a row of figures: all agents, all API keys, or no API key. */
export const noId = lowestId
