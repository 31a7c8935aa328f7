// Questions about people: users, their passwords and sessions, workspaces and their members, the keys people hold, and locations
// as administrators change them. Tokens are made by whoever asks and never travel: here there are only their hashes, so that a
// repeated question does no more than the first. Who may ask what is decided by the asker (spec D 1, Roles).
import { Type } from 'typebox'
import { type KeyScope, keyActions, type Role } from '#shared/contracts/account.ts'
import { Id, Nullable, TokenHash } from '#shared/contracts/common.ts'
import { After, type Page } from '#shared/contracts/page.ts'

/** Wide bounds of the wire; the directory refuses with a sentence what lies between these and its own. */
const Text = Type.String({ maxLength: 4_096 })
const AnyRole = Type.Enum(['owner', 'editor', 'viewer'])
/** A session about to begin: its id and its token are made by the asker. */
const NewSession = Type.Object({ id: Id, tokenHash: TokenHash })

export const peopleAsks = {
  /** An account. `password` null: it can't sign in by password until one is set. A repeat with the same id answers the first. */
  'create-user': Type.Object({
    id: Id,
    username: Text,
    displayName: Text,
    password: Nullable(Text),
    admin: Type.Boolean(),
  }),
  /** A page of all users by creation. */
  'list-users': Type.Object({ after: After }),
  /** Null where there is none of this name (in any case of letters). */
  'find-user': Type.Object({ username: Text }),
  /**
   * What is absent stays. `disabled: true` ends all sessions, and refuses the user's keys with 1004. Refused (invalid_state
   * `Last administrator`) when nobody would administer the installation any more, unless `force` is true.
   */
  'update-user': Type.Object({
    userId: Id,
    displayName: Type.Optional(Text),
    disabled: Type.Optional(Type.Boolean()),
    admin: Type.Optional(Type.Boolean()),
    force: Type.Optional(Type.Boolean()),
  }),
  /**
   * Deletes an account with its keys, sessions and memberships. Refused (invalid_state) where it is the last owner of a workspace;
   * unless `force` is true also where it has keys or memberships, or is the last administrator.
   */
  'delete-user': Type.Object({ userId: Id, force: Type.Boolean() }),
  /**
   * Sets a password and ends all sessions but `keepSessionId`; keys go on. With `current` it is refused unless that is the present
   * one (or there is none): what a person's own change asks. `client` is the address of that person, for the throttle.
   */
  'set-password': Type.Object({
    userId: Id,
    password: Text,
    current: Type.Optional(Type.Object({ password: Text, client: Text, attemptId: Id })),
    keepSessionId: Type.Optional(Nullable(Id)),
  }),

  /** Signs in by password. `client` is the address of the person. The answer says the outcome; nothing is thrown for a wrong password. */
  'sign-in': Type.Object({ username: Text, password: Text, client: Text, session: NewSession }),
  /**
   * Signs in who was recognised by an OIDC provider: finds or makes the user bound to (issuer, subject). `username` is a proposal,
   * used for a new user only. The asker has verified the provider's answer.
   */
  'sign-in-oidc': Type.Object({
    issuer: Text,
    subject: Text,
    username: Text,
    displayName: Text,
    session: NewSession,
  }),
  /** Whose session is it? Null when unknown, ended or expired. Using a session prolongs it. */
  'find-session': Type.Object({ tokenHash: TokenHash }),
  /** Ends one session; harmless where there is none. */
  'sign-out': Type.Object({ sessionId: Id }),
  /** Ends all sessions of a user. */
  'end-sessions': Type.Object({ userId: Id }),
  /** A user as one of its keys or sessions would be answered (for AUTH_DEV, where every visitor is one user); null: none. */
  'describe-user': Type.Object({ username: Text }),

  /** A workspace whose owner is `userId`. A repeat with the same id answers the first. */
  'create-workspace': Type.Object({ id: Id, name: Text, userId: Id }),
  'rename-workspace': Type.Object({ workspaceId: Id, name: Text }),
  /**
   * Deletes a workspace with all that is in it. Refused (invalid_state `Workspace is not empty`) unless `force` is true or nothing is
   * in it but an owner. A repeat with the same `id` answers the first.
   */
  'delete-workspace': Type.Object({ id: Id, workspaceId: Id, force: Type.Boolean() }),
  /** A page of all workspaces by creation, whoever is in them. */
  'list-all-workspaces': Type.Object({ after: After }),

  /** Members by username. */
  'list-members': Type.Object({ workspaceId: Id }),
  /** Refused where the user is a member in another role; a repeat answers the first. */
  'add-member': Type.Object({ workspaceId: Id, username: Text, role: AnyRole }),
  /** Refused (invalid_state `Last owner`) where no owner would be left. */
  'change-role': Type.Object({ workspaceId: Id, userId: Id, role: AnyRole }),
  /** Refused (invalid_state `Last owner`) where no owner would be left. `removed` false: was no member. */
  'remove-member': Type.Object({ workspaceId: Id, userId: Id }),

  /** A key, valid for 180 days. A repeat with the same id answers the first. `prefix`: see shared/api-token.ts. */
  'create-key': Type.Object({
    id: Id,
    userId: Id,
    description: Text,
    tokenHash: TokenHash,
    prefix: Type.String({ maxLength: 16 }),
    /** Absent: a full key. Refused also: not_found for a workspace of which the user is no member. */
    scope: Type.Optional(
      Type.Object({ workspaceId: Id, actions: Type.Array(Type.Enum([...keyActions]), { maxItems: keyActions.length }) }),
    ),
  }),
  /** Keys of a user, or with null of everybody (the newest 1,000), oldest first. */
  'list-keys': Type.Object({ userId: Nullable(Id) }),
  /** Deletes a key; with `userId` only where it is that user's. Throws not_found. */
  'delete-key': Type.Object({ keyId: Id, userId: Nullable(Id) }),

  /** `displayName` null: none. A repeat with the same id answers the first. Refused where the name is taken. */
  'create-location': Type.Object({ id: Id, name: Text, displayName: Nullable(Text) }),
  /** What is absent stays. Monitors follow a new name by themselves. */
  'update-location': Type.Object({
    locationId: Id,
    name: Type.Optional(Text),
    displayName: Type.Optional(Nullable(Text)),
  }),
  /** Refused (invalid_state `Location is used`) while a monitor is assigned to it. */
  'delete-location': Type.Object({ locationId: Id }),
} as const

/** Who calls, by whatever means: what every decision about rights looks at. */
export interface Caller {
  userId: string
  /** The username where there is no display name. */
  displayName: string
  admin: boolean
  disabled: boolean
  /** When the means (key, session) expires, ms since the epoch. */
  expiresAt: number
  memberships: { workspaceId: string; role: Role }[]
}

export interface SessionIdentity extends Caller {
  sessionId: string
  username: string
  /** True where the user has a password to change. */
  hasPassword: boolean
}

export interface UserView {
  id: string
  username: string
  /** Empty where there is none. */
  displayName: string
  admin: boolean
  disabled: boolean
  hasPassword: boolean
  createdAt: number
  /** Null before the first sign-in. */
  signedInAt: number | null
}

/**
 * wrong: no such user, no password, or not this one; nobody says which. wait: too many bad tries, nothing was looked at.
 * disabled: the password is right, the account is disabled.
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

/** A deleted workspace and what was in it. */
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

export interface MemberView {
  userId: string
  username: string
  displayName: string
  disabled: boolean
  role: Role
}

export interface KeyView {
  id: string
  prefix: string
  description: string
  userId: string
  username: string
  createdAt: number
  expiresAt: number
  lastUsedAt: number | null
  scope: KeyScope | null
}

export interface LocationView {
  id: string
  name: string
  displayName: string | null
  /** Live probers. */
  activeWorkers: number
  /** When any prober of it last lived, ms since the epoch; null: never, or not known. */
  lastSeenAt: number | null
}

export interface PeopleAnswers {
  'create-user': UserView
  'list-users': Page<UserView>
  'find-user': UserView | null
  'update-user': UserView
  'delete-user': { id: string; username: string; workspaces: number; keys: number }
  'set-password': { outcome: 'set' } | Exclude<SignInOutcome, { outcome: 'signed-in' }>
  'sign-in': SignInOutcome
  'sign-in-oidc': SignInOutcome
  'find-session': SessionIdentity | null
  'sign-out': null
  'end-sessions': null
  'describe-user': (Caller & { username: string }) | null
  'create-workspace': { id: string; name: string; role: Role }
  'rename-workspace': { id: string; name: string }
  'delete-workspace': WorkspaceContents
  'list-all-workspaces': Page<WorkspaceView>
  'list-members': MemberView[]
  'add-member': MemberView
  'change-role': MemberView
  'remove-member': { userId: string; removed: boolean }
  'create-key': KeyView
  'list-keys': KeyView[]
  'delete-key': { id: string }
  'create-location': LocationView
  'update-location': LocationView
  'delete-location': { id: string }
}
