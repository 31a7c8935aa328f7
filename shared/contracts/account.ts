// People, workspaces, memberships, API keys and locations: what the directory writes.
import type { Stored } from '#shared/contracts/common.ts'

export type Role = 'owner' | 'editor' | 'viewer'

export interface UserDocument extends Stored {
  /** As `usernameOf` normalises it; unique. */
  username: string
  /** Empty where there is none. */
  displayName: string
  admin: boolean
  disabled: boolean
  createdAt: number
  /** argon2id in PHC form; absent: nobody signs in with a password. Never leaves the directory. */
  password?: string
  /** The change by which the person set it, by which its repeat is known, and the epoch it began. Absent: somebody else set it. */
  passwordChange?: { attemptId: string; epoch: number }
  /** Sessions of an earlier epoch have ended: raising it ends them all in the write that has the reason. Absent: 0. */
  sessionsEpoch?: number
  /** The first sign-in is complete; absent: there was none. */
  signedInAt?: number
  /** The workspace that the first sign-in makes, decided before it is made. */
  firstWorkspaceId?: string
}

/** The roster is the truth about who is a member: one document, so that two changes at once can't both take the last owner. */
export interface WorkspaceDocument extends Stored {
  name: string
  createdAt: number
  /** Role by user id. Absent only on a workspace of an earlier version, until the next start. */
  members?: Record<string, Role>
  /** Set while what was in it is being removed: reads answer not found. Null or absent: it lives. */
  deletedAt?: number | null
  /** The request that deleted it and what it had, so that a repeat is answered alike. */
  deletion?: { id: string; contents: Record<'subjects' | 'destinations' | 'transformations' | 'templates' | 'members', number> }
}

/**
 * Says where to look: whoever is in a workspace's roster has one, written before. One whose user is in no roster says nothing.
 * id is `<workspaceId>.<userId>`.
 */
export interface MembershipDocument extends Stored {
  workspaceId: string
  userId: string
  /** Of an earlier version, which had no rosters; read by the upgrade alone. */
  role?: Role
}

/** A session of the dashboard. The token itself is nowhere: only its SHA-256 is kept. */
export interface SessionDocument extends Stored {
  userId: string
  /** Hex SHA-256 of the token; unique. */
  tokenHash: string
  /** The user's `sessionsEpoch` when its password was looked at. */
  epoch: number
  createdAt: number
  expireAt: number
}

/** Who an OIDC provider's subject is here. id is the SHA-256 of issuer and subject. */
export interface ExternalIdentityDocument extends Stored {
  issuer: string
  subject: string
  userId: string
  createdAt: number
}

/** Sign-ins tried for a name or from an address, less those that were right. id names which, as a hash. */
export interface SignInTriesDocument extends Stored {
  count: number
  /** The newest try; its repeat is not counted again. */
  attemptId: string
  blockedUntil: number
  expireAt: number
}

/** What a scoped key may do beside reading; keys of generation 3 alone have a scope (v3 2.3). */
export const keyActions = ['acknowledge', 'maintenance', 'observe', 'templates', 'resources'] as const
export type KeyAction = (typeof keyActions)[number]

/** What a key may do, as people read it (v3 2.4): `full`, or `read` and its actions. */
export const accessOf = (scope: KeyScope | null): string[] => (scope === null ? ['full'] : ['read', ...scope.actions])

/** The one workspace that a scoped key reaches, and what it may do there. */
export interface KeyScope {
  workspaceId: string
  /** In the order of `keyActions`, each once; none: it only reads. */
  actions: KeyAction[]
}

/** The token itself is nowhere: only its SHA-256 is kept. */
export interface KeyDocument extends Stored {
  userId: string
  description: string
  /** Hex SHA-256 of the token; unique. */
  tokenHash: string
  /** The first characters of the token, by which a person recognises it. */
  prefix: string
  createdAt: number
  expiresAt: number
  lastUsedAt: number | null
  /** Null: a full key, which may do what its owner may. */
  scope: KeyScope | null
}

/** An Observation address: whoever has its token may report to the workspace. The token is nowhere: only its SHA-256 is kept. */
export interface AddressDocument extends Stored {
  workspaceId: string
  /** Hex SHA-256 of the token; unique. */
  tokenHash: string
  /** The key of the one Template whose Resources it reports on; null: any Resource of the workspace. */
  template: string | null
  /** A report needs a person's full key, too. */
  secondFactor: boolean
  description: string
  createdAt: number
  /** Resources made on the latest day (since the epoch, UTC) on which its reports made any. */
  made: { day: number; count: number }
}

export interface LocationDocument extends Stored {
  name: string
  displayName: string | null
  createdAt: number
}

/** One reserved name of a workspace: id is `<workspaceId>/<slug>`; unused reservations lapse. */
export interface NameDocument extends Stored {
  workspaceId: string
  subjectId: string
  reservedAt: number
}
