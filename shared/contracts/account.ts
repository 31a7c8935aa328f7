// People, workspaces, memberships, API keys and locations: what the directory writes.
import type { Stored } from '#shared/contracts/common.ts'

export type Role = 'owner' | 'editor' | 'viewer'

export interface UserDocument extends Stored {
  username: string
  displayName: string
  admin: boolean
  disabled: boolean
  createdAt: number
}

export interface WorkspaceDocument extends Stored {
  name: string
  createdAt: number
}

/** id is `<workspaceId>.<userId>`. */
export interface MembershipDocument extends Stored {
  workspaceId: string
  userId: string
  role: Role
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
