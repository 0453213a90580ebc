import { fromUuid, toUuid } from '@ars/platform/id'
import type { ApiCall } from '../lab/client/api-caller.ts'
import { keyVariants } from '../lab/client/key-variants.ts'
import type { Random } from '../lab/random.ts'
import type { Class } from './samples.ts'
import { bearer, emailOf, type Scene } from './scene.ts'

/** Tries of an account that are still looked at. */
export const triesPerAccount = 9

/** Keys that do not work, and one in this many that does, so that it stays cached. */
export const keyClasses = ({ keys }: Scene, random: Random): Class[] => {
  const variants = keyVariants(keys, random)
  const kind = (name: string, make: () => string, status = 401): Class => ({
    name,
    status,
    ask: () => ({ method: 'GET', path: '/v2/api/auth/me', headers: bearer(make()) }),
  })
  return [
    kind('last letter wrong', variants.wrongLast),
    kind('first letter wrong', variants.wrongFirst),
    kind('never issued', variants.neverIssued),
    kind('checksum wrong', variants.typo),
    kind('valid', variants.real, 200),
  ]
}

/** Runs that are none of the reader's business, and runs that are nobody's. */
export const runClasses = ({ runIds, readerKey }: Scene, random: Random): Class[] => {
  const kind = (name: string, ids: readonly string[]): Class => ({
    name,
    status: 404,
    ask: () => ({ method: 'GET', path: `/v2/runs/${random.pick(ids)}`, headers: bearer(readerKey) }),
  })
  const unknown = runIds.map((id) => strangerOf(id, random))
  return [kind('unknown run', unknown), kind("another organisation's run", runIds)]
}

/** Made in the same millisecond, so that it would lie in the same place. */
const strangerOf = (id: string, random: Random): string => {
  const uuid = toUuid(id)
  const tail = Array.from({ length: 12 }, () => random.whole(0, 15).toString(16)).join('')
  return fromUuid('run', uuid.slice(0, -12) + tail)
}

/** A wrong password for somebody, and any password for nobody; each account is tried as often as the others. */
export const loginClasses = (scene: Scene): Class[] => people(scene, 401, ['nobody', 'somebody'])

/** The same once they are throttled. */
export const throttledClasses = (scene: Scene): Class[] =>
  people(scene, 429, ['nobody, throttled', 'somebody, throttled'])

const people = (scene: Scene, status: number, [nobody, somebody]: readonly [string, string]): Class[] => {
  const addresses = addressesOf()
  const kind = (name: string, emailAt: (at: number) => string): Class => {
    let asked = 0
    return { name, status, ask: () => login(scene, emailAt(asked++ % scene.emails.length), addresses()) }
  }
  return [kind(nobody, (at) => emailOf('nobody', at)), kind(somebody, (at) => scene.emails[at] ?? '')]
}

export const login = ({ from }: Pick<Scene, 'from'>, email: string, address: string): ApiCall => ({
  method: 'POST',
  path: '/api/auth/login',
  headers: { ...from(address), 'sec-fetch-site': 'same-origin' },
  body: { email, password: 'a wrong guess of somebody' },
})

let firstAddress = 0

/** The next address as soon as one has been used so often that it might be held up itself. */
export const addressesOf = (maxUses = 50): (() => string) => {
  let uses = 0
  let number = firstAddress++
  return () => {
    if (uses++ === maxUses) {
      uses = 1
      number = firstAddress++
    }
    return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
  }
}
