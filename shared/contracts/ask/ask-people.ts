// Requests about people: users, passwords, sessions, workspaces, members, keys, and the changes of locations by administrators. The gateway
// creates tokens and sends only the hashes of the tokens, so that a retry creates no second token. The gateway also checks the rights
// (reference/envelope 4.4).
import { Type } from 'typebox'
import {
  type KeyDocument,
  keyActions,
  type LocationDocument,
  type Role,
  roles,
  type UserDocument,
} from '#shared/contracts/account.ts'
import { After, type Page } from '#shared/contracts/ask/reply.ts'
import { ask, Id, Nullable, TokenHash } from '#shared/contracts/common.ts'

/** Text within the wide bounds of the bus. The directory checks tighter bounds, and its errors explain the fault to people. */
const Text = Type.String({ maxLength: 4_096 })
export const AnyRole = Type.Enum([...roles])
/** A new session. The caller creates the session's id and token. */
const NewSession = Type.Object({ id: Id, tokenHash: TokenHash })

export const peopleAsks = {
  /** Creates an account; a retry returns the same account. `password` null: the user cannot sign in with a password yet. */
  'create-user': ask<UserView>()({
    id: Id,
    username: Text,
    displayName: Text,
    password: Nullable(Text),
    admin: Type.Boolean(),
  }),
  /** A page of all users, oldest account first. `limit` absent: only the bytes of a page are bounded. */
  'list-users': ask<Page<UserView>>()({ after: After, limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })) }),
  /** Returns the user with this name; null: no user has this name. Upper and lower case are equal. */
  'find-user': ask<UserView | null>()({ username: Text }),
  /**
   * Changes only the given fields. `disabled: true` ends all sessions. Errors: `invalid_state` (`Last administrator`) if no administrator
   * would be left, unless `force` is true.
   */
  'update-user': ask<UserView>()({
    userId: Id,
    displayName: Type.Optional(Text),
    disabled: Type.Optional(Type.Boolean()),
    admin: Type.Optional(Type.Boolean()),
    force: Type.Optional(Type.Boolean()),
  }),
  /**
   * Deletes an account with its keys, sessions and memberships. Errors: `invalid_state` if the user is the last owner of a workspace.
   * Unless `force` is true, the same error if the user has keys or memberships, or is the last administrator. `keepAdministrator` true:
   * the last administrator stays even with `force`.
   */
  'delete-user': ask<{ id: string; username: string; workspaces: number; keys: number }>()({
    userId: Id,
    force: Type.Boolean(),
    keepAdministrator: Type.Optional(Type.Boolean()),
  }),
  /**
   * Sets a password and ends all sessions except `keepSessionId`; keys stay valid. If users change their own password, the request contains
   * `current`. The request then fails unless `current` is the present password or the user has no password. `client`: address of the user,
   * by which attempts are throttled.
   */
  'set-password': ask<{ outcome: 'set' } | Exclude<SignInOutcome, { outcome: 'signed-in' }>>()({
    userId: Id,
    password: Text,
    current: Type.Optional(Type.Object({ password: Text, client: Text, attemptId: Id })),
    keepSessionId: Type.Optional(Nullable(Id)),
  }),

  /**
   * Signs in with a password. `client`: address of the user. `mark`: mark of an earlier sign-in in the same browser; absent or invalid: the
   * browser is unknown. A wrong password is a normal result, not an error.
   */
  'sign-in': ask<SignInOutcome>()({
    username: Text,
    password: Text,
    client: Text,
    session: NewSession,
    mark: Type.Optional(Text),
  }),
  /**
   * Signs in a user whom an OIDC provider has authenticated. Finds the user bound to `issuer` and `subject`, or creates the user.
   * `username`: proposed name of a new user. The sender of this request has already verified the provider's response.
   */
  'sign-in-oidc': ask<SignInOutcome>()({
    issuer: Text,
    subject: Text,
    username: Text,
    displayName: Text,
    session: NewSession,
  }),
  /** Returns the user of a session and extends the session. Null: the session is unknown, has ended or has expired. */
  'find-session': ask<SessionIdentity | null>()({ tokenHash: TokenHash }),
  /** Ends one session. Succeeds also if the session does not exist. */
  'sign-out': ask<null>()({ sessionId: Id }),
  /** Ends all sessions of a user. */
  'end-sessions': ask<null>()({ userId: Id }),
  /** Returns the user with this name; null: there is none. For `AUTH_DEV`, which signs in every visitor as this user. */
  'describe-user': ask<(Caller & { username: string }) | null>()({ username: Text }),

  /** Creates a workspace with the owner `userId`. A retry with the same id returns the first workspace. */
  'create-workspace': ask<{ id: string; name: string; role: Role }>()({ id: Id, name: Text, userId: Id }),
  'rename-workspace': ask<{ id: string; name: string }>()({ workspaceId: Id, name: Text }),
  /**
   * Deletes a workspace with its contents. Errors, unless `force` is true: `invalid_state` (`Workspace is not empty`) if the workspace
   * contains anything besides its owner. A retry with the same `id` returns the first response. `by`: owner who deletes the workspace, and
   * the name that the owner typed. Errors: `forbidden` if this person is no owner, `validation` if the workspace has another name. Absent:
   * neither is checked.
   */
  'delete-workspace': ask<WorkspaceContents>()({
    id: Id,
    workspaceId: Id,
    force: Type.Boolean(),
    by: Type.Optional(Type.Object({ userId: Id, name: Text })),
  }),
  /** A page of all workspaces of the installation, oldest first. */
  'list-all-workspaces': ask<Page<WorkspaceView>>()({ after: After }),

  /** Members, ordered by username. */
  'list-members': ask<MemberView[]>()({ workspaceId: Id }),
  /**
   * Adds a member without asking the person: for administrators of the installation and for the command line. Fails if the user is already
   * a member with another role. A retry returns the first response.
   */
  'add-member': ask<MemberView>()({ workspaceId: Id, username: Text, role: AnyRole }),
  /**
   * Changes the role of a member. Errors: `invalid_state` (`Last owner`) if no owner would be left. `byAdministrator` true: the member may be
   * made an owner without being asked. Otherwise this fails with `invalid_state` (`Owner by invitation`).
   */
  'change-role': ask<MemberView>()({
    workspaceId: Id,
    userId: Id,
    role: AnyRole,
    byAdministrator: Type.Optional(Type.Boolean()),
  }),
  /**
   * Removes a member. `removed` is false if the user was not a member. Errors: `invalid_state` (`Last owner`) if no owner would be left.
   */
  'remove-member': ask<{ userId: string; removed: boolean }>()({ workspaceId: Id, userId: Id }),

  /**
   * Invites a name. Whether an account has the name changes neither the response nor the work. A second invitation of the same name replaces
   * the first. `id`: id of the new invitation (`StoredInvitation`); a retry with the same id returns the first response. Errors: `forbidden`
   * if the inviter is no owner; `invalid_state` for a member of this workspace, and if there are too many invitations or members.
   */
  invite: ask<InvitationView>()({ id: Id, workspaceId: Id, inviterId: Id, username: Text, role: AnyRole }),
  /** Pending invitations of a workspace, oldest first, for its owners. */
  'list-workspace-invitations': ask<InvitationView[]>()({ workspaceId: Id }),
  /** Withdraws an invitation. `withdrawn` is false if the workspace has no such invitation. */
  'withdraw-invitation': ask<{ id: string; withdrawn: boolean }>()({ workspaceId: Id, invitationId: Id }),
  /** Pending invitations of a person, newest first, at most `limits.people.invitationsShown`. */
  'list-invitations': ask<OwnInvitationView[]>()({ userId: Id }),
  /**
   * Accepts an invitation: the person becomes a member. A retry returns the first response. Errors: `not_found` for an invitation that does
   * not exist, has ended, or is for somebody else; `invalid_state` if the person has too many workspaces or the workspace too many members.
   */
  'accept-invitation': ask<{ id: string; name: string; role: Role }>()({ userId: Id, invitationId: Id }),
  /** Declines an invitation. Owners of the workspace are not shown that it was declined. Errors: `not_found`, as for `accept-invitation`. */
  'decline-invitation': ask<{ id: string }>()({ userId: Id, invitationId: Id }),

  /** Creates a key that is valid for 180 days. A retry with the same id returns the first key. `prefix`: see shared/tokens/api-token.ts. */
  'create-key': ask<KeyView>()({
    id: Id,
    userId: Id,
    description: Text,
    tokenHash: TokenHash,
    prefix: Type.String({ maxLength: 16 }),
    /** Scope of the key; absent: a full key. Errors: `not_found` if the user is not a member of the scope's workspace. */
    scope: Type.Optional(
      Type.Object({ workspaceId: Id, actions: Type.Array(Type.Enum([...keyActions]), { maxItems: keyActions.length }) }),
    ),
  }),
  /** Keys of a user, oldest first. `userId` null: the newest 1,000 keys of all users. */
  'list-keys': ask<KeyView[]>()({ userId: Nullable(Id) }),
  /** Deletes a key. If `userId` is not null, deletes the key only if it belongs to that user. Errors: not_found. */
  'delete-key': ask<{ id: string }>()({ keyId: Id, userId: Nullable(Id) }),

  /** Creates a location; a retry returns the same location. `displayName` null: no display name. Fails if another location has the name. */
  'create-location': ask<LocationView>()({ id: Id, name: Text, displayName: Nullable(Text) }),
  /** Changes only the given fields. Monitors refer to a location by id, so they show a new name at once. */
  'update-location': ask<LocationView>()({
    locationId: Id,
    name: Type.Optional(Text),
    displayName: Type.Optional(Nullable(Text)),
  }),
  /**
   * Deletes a location. Errors: `invalid_state` (`Location is used`) while a prober runs at the location or a monitor is checked from it.
   */
  'delete-location': ask<{ id: string }>()({ locationId: Id }),
} as const

/** The user that a key or a session has authenticated. All decisions about rights use this record. */
export interface Caller {
  userId: string
  /** Display name of the user, or the username if the user has no display name. */
  displayName: string
  admin: boolean
  disabled: boolean
  /** Instant at which the key or session expires, ms since the epoch. */
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
  /** Instant of the first sign-in; null: the user has not signed in yet. */
  signedInAt: number | null
}

/**
 * `wrong`: the user does not exist, has no password, or has another password; the result never shows which. `wait`: the password was not
 * checked, because too many attempts failed. `disabled`: the password is right, but the account is disabled.
 */
export type SignInOutcome =
  /** `mark`: by it the directory knows the browser at its next sign-in. Null or absent: there is none. */
  | { outcome: 'signed-in'; identity: SessionIdentity; mark?: string | null }
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
  /** Number of Template revisions. */
  templates: number
  members: number
}

export interface MemberView extends Pick<UserDocument, 'username' | 'displayName' | 'disabled'> {
  userId: string
  role: Role
}

/** An invitation as the owners of the workspace see it: only what one of them typed. */
export interface InvitationView {
  id: string
  username: string
  role: Role
  /** Username of the inviter. */
  invitedBy: string
  createdAt: number
  expiresAt: number
}

/** An invitation as the invited person sees it. */
export interface OwnInvitationView {
  id: string
  /** Name of the workspace. */
  workspace: string
  role: Role
  invitedBy: { username: string; displayName: string }
  createdAt: number
  expiresAt: number
}

export interface KeyView extends Omit<KeyDocument, 'rev' | 'tokenHash'> {
  username: string
}

export interface LocationView extends Pick<LocationDocument, 'id' | 'name' | 'displayName'> {
  /** Number of live probers. */
  activeWorkers: number
  /** Instant of the newest presence message of any prober of the location, ms since the epoch; null: none is known. */
  lastSeenAt: number | null
  /** Kinds of checks that none of the live probers can make, each with the sentence that says why. Absent: an older directory answered. */
  unable?: Record<string, string>
  /** Checks a second that the live probers make, and can make. Absent: an older directory answered. */
  load?: { perSecond: number; most: number }
}
