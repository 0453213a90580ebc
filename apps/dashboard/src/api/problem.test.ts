import { ApiError } from '@agent-run-service/sdk'
import { expect, test } from 'vitest'
import { fieldErrors } from './problem.ts'

const refused = (param: string | null, details: readonly { param: string | null; message: string }[] = []) =>
  new ApiError({
    status: 422,
    code: 'input_invalid',
    type: 'invalid_request_error',
    message: 'The whole.',
    reason: null,
    param,
    details,
    requestId: 'req_1',
    docUrl: null,
    retryAfterMs: null,
    headers: new Headers(),
    body: null,
  })

test('an error lands at its field, by the first part of its path', () => {
  const details = [
    { param: 'scopes[2]', message: 'No such scope.' },
    { param: 'scopes[3]', message: 'Nor this one.' },
  ]
  expect(fieldErrors(refused('scopes[2]', details), ['name', 'scopes'])).toEqual({ scopes: 'No such scope.' })
  expect(fieldErrors(refused('name'), ['name', 'scopes'])).toEqual({ name: 'The whole.' })
})

test('an error without a field of the form is shown as a whole', () => {
  expect(fieldErrors(refused('nameless'), ['name'])).toEqual({})
  expect(fieldErrors(refused(null, [{ param: null, message: 'The whole.' }]), ['name'])).toEqual({})
  expect(fieldErrors(new Error('broken'), ['name'])).toEqual({})
})
