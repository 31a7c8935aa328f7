// Signing in, one's own account and keys, and the accounts of the installation (docs/session-api.md).
import { Type } from 'typebox'
import { keyActions } from '#shared/contracts/account.ts'
import { Answered, Instant, OrNull } from '../../result-schema.ts'
import type { QueryParameter } from '../../route.ts'
import { NewKey } from '../../session/keys.ts'
import { Credentials } from '../../session/sign-in.ts'
import { NewPassword, NewUser, UserChange } from '../../session/users.ts'
import { PasswordChange } from '../../session/who-am-i.ts'
import type { SessionDescriptions } from './description.ts'
import { WorkspaceOfMine } from './workspaces.ts'

const WaysIn = Answered('WaysIn', {
  password: Type.Boolean(),
  oidc: OrNull(Type.Object({ name: Type.String(), start: Type.String() }, { additionalProperties: false })),
  developer: Type.Boolean({ description: 'AUTH_DEV: every visitor is an administrator.' }),
})

const SignedIn = Answered('SignedIn', {
  user: Answered('Person', {
    id: Type.String(),
    username: Type.String(),
    display_name: Type.String(),
    admin: Type.Boolean(),
    has_password: Type.Boolean(),
  }),
  workspaces: Type.Array(WorkspaceOfMine),
  expires_at: OrNull(Instant),
  developer: Type.Boolean(),
})

const keyFields = {
  id: Type.String(),
  prefix: Type.String({ description: 'How the token begins.' }),
  description: Type.String(),
  created_at: Instant,
  expires_at: Instant,
  last_used_at: OrNull(Instant),
  access: Type.Array(Type.Enum(['full', 'read', ...keyActions])),
  workspace_id: OrNull(Type.String()),
}
const Key = Answered('Key', keyFields)
const MadeKey = Answered('MadeKey', { ...keyFields, token: Type.String({ description: 'Shown here alone.' }) })

const Account = Answered('Account', {
  id: Type.String(),
  username: Type.String(),
  display_name: Type.String(),
  admin: Type.Boolean(),
  disabled: Type.Boolean(),
  has_password: Type.Boolean(),
  created_at: Instant,
  signed_in_at: OrNull(Instant),
})

const returnTo: Record<string, QueryParameter> = {
  return_to: { required: false, schema: Type.String(), meaning: 'A path of this origin; anything else leads to `/`.' },
}

export const signingIn: SessionDescriptions = {
  'GET /session/sign-in': { summary: 'The ways to sign in.', who: 'open', status: 200, result: WaysIn },
  'POST /session/sign-in': {
    summary: 'Signs in by password, and sets the session cookie.',
    who: 'open',
    body: Credentials,
    example: { username: 'owner', password: 'OWNER_PASSWORD' },
    status: 200,
    result: SignedIn,
    refusals: ['wrong_credentials', 'disabled', 'rate_limited'],
  },
  'POST /session/sign-out': {
    summary: 'Ends the session everywhere.',
    who: 'open',
    body: Type.Object({}),
    example: {},
    status: 204,
  },
  'GET /session/oidc/start': {
    summary: 'Leads to the OIDC provider.',
    more: 'Without a provider: 404.',
    who: 'open',
    query: returnTo,
    status: 303,
    refusals: ['not_found'],
  },
  'GET /session/oidc/callback': {
    summary: 'Where the provider sends people back to.',
    who: 'open',
    status: 303,
    refusals: ['not_found'],
  },
}

export const oneself: SessionDescriptions = {
  'GET /session': { summary: 'Who is signed in, and where a member.', who: 'signed in', status: 200, result: SignedIn },
  'PUT /session/password': {
    summary: "Changes one's own password; all other sessions end.",
    who: 'signed in',
    body: PasswordChange,
    example: { current_password: 'OWNER_PASSWORD', password: 'a much better password' },
    status: 204,
    refusals: ['wrong_credentials', 'conflict', 'rate_limited'],
  },
  'GET /session/keys': {
    summary: "One's own API keys.",
    who: 'signed in',
    status: 200,
    result: Type.Object({ keys: Type.Array(Key) }, { additionalProperties: false }),
  },
  'POST /session/keys': {
    summary: 'Makes an API key, valid for 180 days.',
    more: 'Without a scope it may do whatever its owner may. With one it belongs to generation 3.',
    who: 'signed in',
    body: NewKey,
    example: { description: 'deploy script' },
    status: 201,
    result: MadeKey,
    refusals: ['conflict', 'not_found'],
  },
  'DELETE /session/keys/{keyId}': { summary: 'Deletes an API key.', who: 'signed in', status: 204, refusals: ['not_found'] },
}

export const accounts: SessionDescriptions = {
  'GET /session/users': {
    summary: 'All accounts.',
    who: 'admin',
    status: 200,
    result: Type.Object({ users: Type.Array(Account) }, { additionalProperties: false }),
  },
  'POST /session/users': {
    summary: 'Makes an account.',
    who: 'admin',
    body: NewUser,
    example: { username: 'ada', display_name: 'Ada', password: 'a first password', admin: false },
    status: 201,
    result: Account,
    refusals: ['conflict'],
  },
  'PATCH /session/users/{userId}': {
    summary: 'Changes an account.',
    who: 'admin',
    body: UserChange,
    example: { display_name: 'Ada L.' },
    status: 200,
    result: Account,
    refusals: ['not_found', 'conflict'],
  },
  'PUT /session/users/{userId}/password': {
    summary: "Sets somebody's password; their sessions end.",
    who: 'admin',
    body: NewPassword,
    example: { password: 'another first password' },
    status: 204,
    refusals: ['not_found'],
  },
}
