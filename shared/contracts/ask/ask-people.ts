// Requests about people: users, passwords, sessions, workspaces, members, keys, and locations as administrators change them. The caller
// creates tokens and sends only their hashes, so that a retry changes nothing more. The caller also checks the rights (reference/envelope
// 4.4).
import { Type } from 'typebox'
import { type KeyDocument, keyActions, type LocationDocument, type Role, type UserDocument } from '#shared/contracts/account.ts'
import { After, type Page } from '#shared/contracts/ask/reply.ts'
import { ask, Id, Nullable, TokenHash } from '#shared/contracts/common.ts'

/** Wide bounds of the bus. The directory checks tighter bounds and responds with an error for people. */
const Text = Type.String({ maxLength: 4_096 })
const AnyRole = Type.Enum(['owner', 'editor', 'viewer'])
/** A session to begin; the caller creates its id and its token. */
const NewSession = Type.Object({ id: Id, tokenHash: TokenHash })

export const peopleAsks = {
  /** Creates an account; a retry returns the first. `password` null: the user cannot sign in with a password yet. */
  'create-user': ask<UserView>()({
    id: Id,
    username: Text,
    displayName: Text,
    password: Nullable(Text),
    admin: Type.Boolean(),
  }),
  /** A page of all users by creation. */
  'list-users': ask<Page<UserView>>()({ after: After }),
  /** Returns null if no user has this name. Ignores upper and lower case. */
  'find-user': ask<UserView | null>()({ username: Text }),
  /** Changes only the given fields. `disabled: true` ends all sessions. Errors: invalid_state `Last administrator`, unless `force`. */
  'update-user': ask<UserView>()({
    userId: Id,
    displayName: Type.Optional(Text),
    disabled: Type.Optional(Type.Boolean()),
    admin: Type.Optional(Type.Boolean()),
    force: Type.Optional(Type.Boolean()),
  }),
  /**
   * Deletes an account with its keys, sessions and memberships. Errors: invalid_state if the user is the last owner of a workspace. Without
   * `force` also if the user has keys or memberships, or is the last administrator.
   */
  'delete-user': ask<{ id: string; username: string; workspaces: number; keys: number }>()({ userId: Id, force: Type.Boolean() }),
  /**
   * Sets a password and ends all sessions except `keepSessionId`; keys stay valid. A user's own change sends `current`: the request fails
   * unless `current` is the present password, or the user has no password. `client` is the user's address, for the throttle.
   */
  'set-password': ask<{ outcome: 'set' } | Exclude<SignInOutcome, { outcome: 'signed-in' }>>()({
    userId: Id,
    password: Text,
    current: Type.Optional(Type.Object({ password: Text, client: Text, attemptId: Id })),
    keepSessionId: Type.Optional(Nullable(Id)),
  }),

  /** Signs in with a password. `client` is the user's address. A wrong password is an outcome, not an error. */
  'sign-in': ask<SignInOutcome>()({ username: Text, password: Text, client: Text, session: NewSession }),
  /**
   * Signs in a user whom an OIDC provider has authenticated: finds or creates the user bound to (issuer, subject). `username` is a proposal
   * for a new user. The caller has verified the provider's response.
   */
  'sign-in-oidc': ask<SignInOutcome>()({
    issuer: Text,
    subject: Text,
    username: Text,
    displayName: Text,
    session: NewSession,
  }),
  /** Returns the user of a session and extends the session; null if the session is unknown, ended or expired. */
  'find-session': ask<SessionIdentity | null>()({ tokenHash: TokenHash }),
  /** Ends one session. Succeeds also if the session does not exist. */
  'sign-out': ask<null>()({ sessionId: Id }),
  /** Ends all sessions of a user. */
  'end-sessions': ask<null>()({ userId: Id }),
  /** Returns a user as keys and sessions identify it, for AUTH_DEV, which signs in every visitor as one user; null: no such user. */
  'describe-user': ask<(Caller & { username: string }) | null>()({ username: Text }),

  /** Creates a workspace with the owner `userId`. A retry with the same id returns the first workspace. */
  'create-workspace': ask<{ id: string; name: string; role: Role }>()({ id: Id, name: Text, userId: Id }),
  'rename-workspace': ask<{ id: string; name: string }>()({ workspaceId: Id, name: Text }),
  /**
   * Deletes a workspace with its contents. Errors: invalid_state `Workspace is not empty` if it contains more than its owner, unless
   * `force` is true. A retry with the same `id` returns the first response.
   */
  'delete-workspace': ask<WorkspaceContents>()({ id: Id, workspaceId: Id, force: Type.Boolean() }),
  /** A page of all workspaces by creation, independent of their members. */
  'list-all-workspaces': ask<Page<WorkspaceView>>()({ after: After }),

  /** Members, ordered by username. */
  'list-members': ask<MemberView[]>()({ workspaceId: Id }),
  /** Fails if the user is a member in another role. A retry returns the first response. */
  'add-member': ask<MemberView>()({ workspaceId: Id, username: Text, role: AnyRole }),
  /** Errors: invalid_state `Last owner` if no owner would be left. */
  'change-role': ask<MemberView>()({ workspaceId: Id, userId: Id, role: AnyRole }),
  /** `removed` false: the user was not a member. Errors: invalid_state `Last owner` if no owner would be left. */
  'remove-member': ask<{ userId: string; removed: boolean }>()({ workspaceId: Id, userId: Id }),

  /** Creates a key that is valid for 180 days. A retry with the same id returns the first key. `prefix`: see shared/tokens/api-token.ts. */
  'create-key': ask<KeyView>()({
    id: Id,
    userId: Id,
    description: Text,
    tokenHash: TokenHash,
    prefix: Type.String({ maxLength: 16 }),
    /** Absent: a full key. Errors: also not_found if the user is not a member of the workspace. */
    scope: Type.Optional(
      Type.Object({ workspaceId: Id, actions: Type.Array(Type.Enum([...keyActions]), { maxItems: keyActions.length }) }),
    ),
  }),
  /** Keys of a user, oldest first; null: the newest 1,000 keys of all users. */
  'list-keys': ask<KeyView[]>()({ userId: Nullable(Id) }),
  /** Deletes a key; with `userId` only if the key belongs to that user. Errors: not_found. */
  'delete-key': ask<{ id: string }>()({ keyId: Id, userId: Nullable(Id) }),

  /** Creates a location; a retry returns the first. `displayName` null: none. Fails if another location has the name. */
  'create-location': ask<LocationView>()({ id: Id, name: Text, displayName: Nullable(Text) }),
  /** Changes only the given fields. Monitors refer to a location by id, so they show a new name at once. */
  'update-location': ask<LocationView>()({
    locationId: Id,
    name: Type.Optional(Text),
    displayName: Type.Optional(Nullable(Text)),
  }),
  /** Errors: invalid_state `Location is used` while a monitor is assigned to the location. */
  'delete-location': ask<{ id: string }>()({ locationId: Id }),
} as const

/** The authenticated caller, for all decisions about rights, whether a key or a session authenticated it. */
export interface Caller {
  userId: string
  /** The username if the user has no display name. */
  displayName: string
  admin: boolean
  disabled: boolean
  /** End of the key or session, ms since the epoch. */
  expiresAt: number
  memberships: { workspaceId: string; role: Role }[]
}

export interface SessionIdentity extends Caller {
  sessionId: string
  username: string
  /** True if the user has a password to change. */
  hasPassword: boolean
}

export interface UserView extends Pick<UserDocument, 'id' | 'username' | 'displayName' | 'admin' | 'disabled' | 'createdAt'> {
  hasPassword: boolean
  /** Null before the first sign-in. */
  signedInAt: number | null
}

/**
 * wrong: no such user, no password, or another password; the outcome never shows which. wait: too many failed attempts, the password was
 * not checked. disabled: the password is right, but the account is disabled.
 */
export type SignInOutcome =
  | { outcome: 'signed-in'; identity: SessionIdentity }
  | { outcome: 'wrong' | 'disabled'; message: string }
  | { outcome: 'wait'; message: string; retryAfterMs: number }

export interface WorkspaceView {
  id: string
  name: string
  members: number
  createdAt: number
}

/** A deleted workspace and the counts of its contents. */
export interface WorkspaceContents {
  id: string
  name: string
  subjects: number
  destinations: number
  transformations: number
  /** Revisions of Templates. */
  templates: number
  members: number
}

export interface MemberView extends Pick<UserDocument, 'username' | 'displayName' | 'disabled'> {
  userId: string
  role: Role
}

export interface KeyView extends Omit<KeyDocument, 'rev' | 'tokenHash'> {
  username: string
}

export interface LocationView extends Pick<LocationDocument, 'id' | 'name' | 'displayName'> {
  /** Number of live probers. */
  activeWorkers: number
  /** Newest sign of life of any prober of the location, ms since the epoch; null: none, or not known. */
  lastSeenAt: number | null
}
