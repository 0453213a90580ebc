import { limits } from '@ars/contract'
import type { Bounds } from '@ars/platform/bounds'

export const stepsBounds = {
  tokensReported: { count: 1_000_000_000, atBound: 'a larger number counts as 0' },
  remoteMessage: { chars: 300, atBound: 'the message is cut' },
  remoteDocument: { bytes: 2 * limits.outputBytes, atBound: 'the step fails: the answer is too large' },
  remoteStream: { bytes: 6 * limits.outputBytes, atBound: 'the step fails: the answer is too large' },
  remoteSilentFrames: { count: 10_000, atBound: 'the step fails: most frames say nothing' },
  remoteRefusal: { bytes: 65_536, atBound: 'the refusal counts as one without words' },
  toolCallsUnderWay: { count: 4, atBound: 'further calls of the step wait for an earlier one' },
  toolCallTries: { count: 3, atBound: 'the model gets the error in place of a result' },
  remoteDepth: { count: 64, atBound: 'the step fails: the answer is nested too deeply' },
  remoteKeys: { count: 100_000, atBound: 'the step fails: the answer has too many keys' },
} satisfies Bounds
