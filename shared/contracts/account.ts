// Documents of the directory: users, workspaces, memberships, sessions, API keys, addresses of senders, ping keys, locations, credentials of
// probers, names.
import type { Stored } from '#shared/contracts/common.ts'

/** Roles in a workspace, in ascending order. Each role includes the rights of the roles before it. */
export const roles = ['viewer', 'editor', 'owner'] as const
export type Role = (typeof roles)[number]

export interface UserDocument extends Stored {
  /** Username as `usernameOf` normalises it; unique in the installation. */
  username: string
  /** Empty: none. */
  displayName: string
  admin: boolean
  disabled: boolean
  createdAt: number
  /** argon2id hash in PHC form; absent: the user cannot sign in with a password. Never leaves the directory. */
  password?: string
  /**
   * Latest change of the password by the user, not by an administrator. `attemptId` identifies a retry of the change; `epoch` is the
   * `sessionsEpoch` that the change has set. Absent: an administrator set the password.
   */
  passwordChange?: { attemptId: string; epoch: number }
  /**
   * Counter. A session has the value at its sign-in, and has ended if the counter is higher now. So one write that raises the counter ends
   * all sessions of the user at once. Absent: 0.
   */
  sessionsEpoch?: number
  /** Instant at which the first sign-in was completed, ms since the epoch; absent: the user has not signed in yet. */
  signedInAt?: number
  /**
   * Id of the workspace that the first sign-in creates. The id is stored before the workspace is written, so that a retry creates the same
   * workspace.
   */
  firstWorkspaceId?: string
}

/**
 * A workspace with its list of members. Only this list decides who is a member. All members are in one document, so two concurrent changes
 * cannot remove all owners.
 */
export interface WorkspaceDocument extends Stored {
  name: string
  createdAt: number
  members: Record<string, Role>
  /**
   * Pending and declined invitations, oldest first. They are in this document, so that one write accepts an invitation and adds the member.
   * Absent: none.
   */
  invitations?: StoredInvitation[]
  /**
   * Instant of the deletion. From this instant on, reads respond `not_found`, even while contents still exist. Null or absent: not deleted.
   */
  deletedAt?: number | null
  /**
   * Id of the request that deleted the workspace, and the counts of the workspace's contents. A retry with this id gets the same response.
   */
  deletion?: { id: string; contents: Record<'subjects' | 'destinations' | 'transformations' | 'templates' | 'members', number> }
}

/**
 * Index entry from a user to a workspace. It is written before the workspace's list of members, and valid only if that list contains the
 * user. id: `<workspaceId>.<userId>`.
 */
export interface MembershipDocument extends Stored {
  workspaceId: string
  userId: string
}

/**
 * An invitation of a name to a workspace. It ends 30 days after `createdAt` (`limits.people.invitationLifeMs`), and when its inviter is no
 * longer an owner.
 */
export interface StoredInvitation {
  /** `<workspaceId>.<random text>`. Another invitation of the same name has another id. */
  id: string
  /**
   * Username as `usernameOf` normalises it. Perhaps no account has this name: nobody who invites finds out. The invitation is for the
   * account that had the name at `createdAt`, never for a later one.
   */
  username: string
  /** Role that the invited person gets. */
  role: Role
  inviterId: string
  createdAt: number
  /** Instant at which the invited person declined, ms since the epoch; absent: not declined. Owners are not shown the difference. */
  declinedAt?: number
}

/**
 * Index entry from a username and from an inviter to an invitation. It is written before the invitation, and valid only if the workspace's
 * document contains the invitation. id: that of the invitation.
 */
export interface InvitationDocument extends Stored {
  workspaceId: string
  username: string
  inviterId: string
  createdAt: number
  expireAt: number
}

/** A session of the dashboard. The document contains the SHA-256 of the session's token, never the token. */
export interface SessionDocument extends Stored {
  userId: string
  /** Hex SHA-256 of the token; unique. */
  tokenHash: string
  /** The user's `sessionsEpoch` when the password was checked. */
  epoch: number
  createdAt: number
  expireAt: number
}

/** The user bound to a subject of an OIDC provider. id: SHA-256 of issuer and subject. */
export interface ExternalIdentityDocument extends Stored {
  issuer: string
  subject: string
  userId: string
  createdAt: number
}

/** Number of failed sign-in attempts for one username or from one client address. id: a hash of the username or of the address. */
export interface SignInTriesDocument extends Stored {
  count: number
  /** Id of the newest failed sign-in attempt. A retry with the same id is not counted again. */
  attemptId: string
  blockedUntil: number
  expireAt: number
}

/** Actions that the scope of a key may allow. Every key may read. Only keys of generation 3 have a scope (v3 2.3). */
export const keyActions = ['acknowledge', 'maintenance', 'observe', 'templates', 'resources'] as const
export type KeyAction = (typeof keyActions)[number]

/** Returns the access of a key in words for people (v3 2.4): `full`, or `read` and the allowed actions. */
export const accessOf = (scope: KeyScope | null): (KeyAction | 'full' | 'read')[] =>
  scope === null ? ['full'] : ['read', ...scope.actions]

/** Scope of a key: the only workspace that the key can access, and the actions that the key allows in this workspace. */
export interface KeyScope {
  workspaceId: string
  /** Allowed actions in the order of `keyActions`, without repetition; empty: the key only reads. */
  actions: KeyAction[]
}

/** An API key. The document contains the SHA-256 of the key's token, never the token. */
export interface KeyDocument extends Stored {
  userId: string
  description: string
  /** Hex SHA-256 of the token; unique. */
  tokenHash: string
  /** First characters of the token, by which a person recognises the key. */
  prefix: string
  createdAt: number
  expiresAt: number
  lastUsedAt: number | null
  /** Scope of the key. Null: a full key, which has all rights of its user. */
  scope: KeyScope | null
}

/**
 * An Observation address: a sender with its token may report to the workspace. Only the SHA-256 of the token is stored, never the token.
 */
export interface AddressDocument extends Stored {
  workspaceId: string
  /** Hex SHA-256 of the token; unique. */
  tokenHash: string
  /** Key of the only Template whose Resources the address may report on; null: any Resource of the workspace. */
  template: string | null
  /** True if each report also needs the full key of a person. */
  secondFactor: boolean
  description: string
  createdAt: number
  /**
   * `day`: latest day on which reports to the address created Resources, in days since the epoch (UTC). `count`: number of Resources
   * created on this day.
   */
  made: { day: number; count: number }
}

/** Address to which a sender pings, of one scheduled signal of a Resource. The id is the UUID in the address. */
export interface PingDocument extends Stored {
  workspaceId: string
  subjectId: string
  /** Key of the signal. */
  signal: string
  /** Token of the same signal's address in the manner of Uptime Kuma; unique. */
  pushToken: string
  createdAt: number
}

/** Key with which a sender pings the Resources of a workspace by their keys. It stands in crontabs, so it is stored as it is. */
export interface PingKeyDocument extends Stored {
  workspaceId: string
  /** The key itself; unique. */
  key: string
  description: string
  createdAt: number
  /** Number of Resources that pings with the key created on `day`, like `made` of an Observation address. */
  made: { day: number; count: number }
}

export interface LocationDocument extends Stored {
  name: string
  displayName: string | null
  createdAt: number
}

/** A slug that is reserved in a workspace. id: `<workspaceId>/<slug>`. Unused reservations expire. */
export interface NameDocument extends Stored {
  workspaceId: string
  subjectId: string
  reservedAt: number
}

/** Credential of a prober on another machine, without its secret. */
export interface ProberCredentialDocument extends Stored {
  locationId: string
  /** Public key that identifies the credentials on the bus; not a secret. */
  publicKey: string
  description: string
  createdAt: number
  /**
   * Instant of the revocation; null: the credentials are valid. Never set back to null, because the bus's list of revoked keys needs this
   * instant for ever.
   */
  revokedAt: number | null
}
