import type { PolicyAttachment } from '@agent-run-service/sdk'
import { listed } from './rule-words.ts'

/** Where a policy works, such as "Organisation and 2 agents". */
export const attachmentWords = (attachments: readonly Pick<PolicyAttachment, 'subject_type'>[]): string => {
  const numberOf = (type: string): number => attachments.filter(({ subject_type }) => subject_type === type).length
  const parts = [
    numberOf('organisation') > 0 ? 'Organisation' : '',
    counted(numberOf('agent'), 'agent'),
    counted(numberOf('api_key'), 'API key'),
  ].filter((part) => part !== '')
  return parts.length === 0 ? 'Nothing' : listed(parts)
}

const counted = (number: number, name: string): string => {
  if (number === 0) return ''
  return number === 1 ? `1 ${name}` : `${number} ${name}s`
}
