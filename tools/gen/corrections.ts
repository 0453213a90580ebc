const wasRefused = 'keys and tokens were refused before, but the document did not say so'

/**
 * Changes that look breaking and are not, because the service never behaved as documented or no client can meet them:
 * the sentence of the check, and the reason. Remove an entry after the corrected document has landed.
 */
export const corrections: Readonly<Record<string, string>> = {
  'runs.erase (DELETE /runs/{id}/data) needed the scope runs:write and now needs the scope runs:erase.':
    'no version was released with it, and erasing cannot be undone',
  'auth.logout (POST /api/auth/logout) no longer admits a caller by `bearer`.': wasRefused,
  'auth.updateMe (PATCH /api/auth/me) no longer admits a caller by `bearer`.': wasRefused,
  'auth.switchOrganisation (POST /api/auth/organisation) no longer admits a caller by `bearer`.': wasRefused,
  'auth.changePassword (POST /api/auth/password) no longer admits a caller by `bearer`.': wasRefused,
  'auth.sendEmailProof (POST /api/auth/email-proof-links) no longer admits a caller by `bearer`.': wasRefused,
  'auth.proveEmail (POST /api/auth/email-proof) no longer admits a caller by `bearer`.': wasRefused,
  'sessions.list (GET /sessions) no longer admits a caller by `bearer`.': wasRefused,
  'sessions.end (DELETE /sessions/{id}) no longer admits a caller by `bearer`.': wasRefused,
  'members.directory (GET /members/directory) needed any valid credential and now needs the scope members:write.':
    'a key without this scope was refused before, but the document did not say so',
  'members.notifications (GET /members/me/notifications) no longer admits a caller by `bearer`.': wasRefused,
  'members.updateNotifications (PATCH /members/me/notifications) no longer admits a caller by `bearer`.': wasRefused,
  'members.resetPassword (POST /members/password-resets) no longer admits a caller by `bearer`.': wasRefused,
}
