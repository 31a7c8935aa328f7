// Documents of the directory: users, workspaces, memberships, sessions, API keys, addresses, locations, credentials of probers, names.
import type { Stored } from '#shared/contracts/common.ts'

export type Role = 'owner' | 'editor' | 'viewer'

export interface UserDocument extends Stored {
  /** Normalised by `usernameOf`; unique. */
  username: string
  /** Empty: none. */
  displayName: string
  admin: boolean
  disabled: boolean
  createdAt: number
  /** argon2id hash in PHC form; absent: the user cannot sign in with a password. Never leaves the directory. */
  password?: string
  /** The last password change by the user, to recognise its retry, and its session epoch. Absent: an administrator set the password. */
  passwordChange?: { attemptId: string; epoch: number }
  /** Sessions of an earlier epoch have ended. A write that raises the epoch ends them all at once. Absent: 0. */
  sessionsEpoch?: number
  /** End of the first sign-in, ms since the epoch; absent: the user has not signed in yet. */
  signedInAt?: number
  /** Id of the workspace that the first sign-in creates, chosen before the workspace is written. */
  firstWorkspaceId?: string
}

/** A workspace with its roster, which alone decides membership: two concurrent changes of one document cannot remove all owners. */
export interface WorkspaceDocument extends Stored {
  name: string
  createdAt: number
  /** Role by user id. */
  members: Record<string, Role>
  /** Instant of the deletion; from then on reads respond `not_found` while the contents are removed. Null or absent: not deleted. */
  deletedAt?: number | null
  /** Id of the request that deleted the workspace and the counts of its contents, so that a retry gets the same response. */
  deletion?: { id: string; contents: Record<'subjects' | 'destinations' | 'transformations' | 'templates' | 'members', number> }
}

/** Index entry from a user to a workspace, written before the roster and valid only with it. id: `<workspaceId>.<userId>`. */
export interface MembershipDocument extends Stored {
  workspaceId: string
  userId: string
}

/** A session of the dashboard. Only the SHA-256 of its token is stored, never the token. */
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

/** Number of unsuccessful sign-in attempts for one username or from one address. id: a hash of the username or the address. */
export interface SignInTriesDocument extends Stored {
  count: number
  /** Id of the newest attempt; its retry is not counted again. */
  attemptId: string
  blockedUntil: number
  expireAt: number
}

/** Actions that the scope of a key may allow besides reading. Only keys of generation 3 have a scope (v3 2.3). */
export const keyActions = ['acknowledge', 'maintenance', 'observe', 'templates', 'resources'] as const
export type KeyAction = (typeof keyActions)[number]

/** Returns the access of a key in words for people (v3 2.4): `full`, or `read` and the allowed actions. */
export const accessOf = (scope: KeyScope | null): (KeyAction | 'full' | 'read')[] =>
  scope === null ? ['full'] : ['read', ...scope.actions]

/** The only workspace that a scoped key can access, and the actions that it allows there. */
export interface KeyScope {
  workspaceId: string
  /** In the order of `keyActions`, without repetition; empty: the key only reads. */
  actions: KeyAction[]
}

/** An API key. Only the SHA-256 of its token is stored, never the token. */
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
  /** Null: a full key, which has all rights of its user. */
  scope: KeyScope | null
}

/** An Observation address: a sender with its token may report to the workspace. Stores the SHA-256 of the token, never the token. */
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
  /** Number of Resources that reports to the address created on `day`, the latest such day, in days since the epoch (UTC). */
  made: { day: number; count: number }
}

export interface LocationDocument extends Stored {
  name: string
  displayName: string | null
  createdAt: number
}

/** One reserved name of a workspace, with id `<workspaceId>/<slug>`. Unused reservations expire. */
export interface NameDocument extends Stored {
  workspaceId: string
  subjectId: string
  reservedAt: number
}

/** Credential of a prober on another machine, without its secret. */
export interface ProberCredentialDocument extends Stored {
  locationId: string
  /** Identifies the credentials on the bus; not a secret. */
  publicKey: string
  description: string
  createdAt: number
  /** Null: valid. Once set it stays, because the list of revoked keys on the bus needs it for ever. */
  revokedAt: number | null
}
