import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import type { IdMaker } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { createPasswords, type PasswordCost } from '@ars/platform/password'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import type { Caller } from '../ctx.ts'
import type { MailDesk } from '../mail/index.ts'
import { peopleBounds } from './bounds.ts'
import { createInvitations, type InvitationService } from './invitation.service.ts'
import { createLogin, type LoginService } from './login.service.ts'
import { createMembers, type KeysOfPeople, type MemberService } from './member.service.ts'
import { listOrganisationRows, type OrganisationRow } from './organisation.store.ts'
import { createPasswordService } from './password.service.ts'
import { createProfiles, type ProfileService } from './profile.service.ts'
import { createProofs, type ProofService } from './proof.service.ts'
import { createResets, type ResetService } from './reset.service.ts'
import { createSessions, type SessionService } from './session.service.ts'
import { createSessionLookup } from './session-lookup.service.ts'

export type People = {
  /** The session that a cookie belongs to, or null. */
  authenticateSession(token: string): Promise<Caller | null>
  /** The same for a request that is still open. It does not count as a use of the session. */
  confirmSession(token: string): Promise<Caller | null>
  /** The organisation has changed: every process drops the sessions that it cached about it. */
  forgetOrganisation(org: string): void
  login: LoginService
  sessions: SessionService
  profiles: ProfileService
  members: MemberService
  invitations: InvitationService
  resets: ResetService
  proofs: ProofService
  /** How many slow hashes this process has computed: each password check costs one. */
  passwordsComputed(): number
  /** For the operator: all organisations, oldest first, in pages. */
  listOrganisations(after: string | null): Promise<OrganisationRow[]>
  close(): Promise<void>
}

export type PeopleDeps = {
  app: Database
  auth: Database
  /** For counting attempts; without it `auth` is used for that too. */
  logins?: Database
  pubSub: PubSub
  clock: Clock
  newId: IdMaker
  log: Log
  config: { publicUrl: string }
  passwordCost?: PasswordCost
  /** Undefined: mail is off, and links are passed on by hand. */
  mail?: MailDesk | undefined
  keys: KeysOfPeople
  /** Called with the UUID of each session or person that has changed, because tokens depend on them. */
  forgetTokens?: (uuid: string) => void
}

const organisationsPerPage = peopleBounds.organisationsTogether.count

export const createPeople = (deps: PeopleDeps): People => {
  const lookup = createSessionLookup(deps)
  const hashes = createPasswords(deps.passwordCost)
  const passwords = createPasswordService({ ...deps, auth: deps.logins ?? deps.auth, passwords: hashes })
  const sessions = createSessions({ ...deps, lookup })
  return {
    authenticateSession: (token) => lookup.authenticate(token),
    confirmSession: (token) => lookup.confirm(token),
    forgetOrganisation: (org) => lookup.forget({ org }),
    login: createLogin({ ...deps, passwords, sessions, lookup }),
    sessions,
    profiles: createProfiles({ ...deps, sessions }),
    members: createMembers({ ...deps, lookup }),
    invitations: createInvitations({ ...deps, passwords, sessions, lookup }),
    resets: createResets(deps),
    proofs: createProofs(deps),
    passwordsComputed: () => hashes.computed(),
    listOrganisations: (after) => listOrganisationRows(deps.auth, after, organisationsPerPage),
    close: async () => {
      await lookup.close()
      await passwords.close()
    },
  }
}
