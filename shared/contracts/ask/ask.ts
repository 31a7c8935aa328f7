// Requests to the directory and their responses: accounts, configuration of a workspace, and all reads. The directory checks a request
// against its schema when the request arrives. Responses are not checked: they have only TypeScript types.
import { type Static, Type } from 'typebox'
import type { KeyScope, Role } from '#shared/contracts/account.ts'
import { addressAsks } from '#shared/contracts/ask/ask-addresses.ts'
import { auditAsks } from '#shared/contracts/ask/ask-audit.ts'
import { incidentAsks } from '#shared/contracts/ask/ask-incidents.ts'
import { notificationAsks } from '#shared/contracts/ask/ask-notifications.ts'
import { type Caller, type LocationView, peopleAsks } from '#shared/contracts/ask/ask-people.ts'
import { pingAsks } from '#shared/contracts/ask/ask-pings.ts'
import { proberAsks } from '#shared/contracts/ask/ask-probers.ts'
import { resourceAsks } from '#shared/contracts/ask/ask-resources.ts'
import { secretAsks } from '#shared/contracts/ask/ask-secrets.ts'
import { subjectAsks } from '#shared/contracts/ask/ask-subjects.ts'
import { ask, Id, TokenHash } from '#shared/contracts/common.ts'
import { conditionAsks } from '#shared/contracts/incidents/condition.ts'
import { monitorAsks } from '#shared/contracts/subjects/monitor-state.ts'
import { overviewAsks } from '#shared/contracts/subjects/overview.ts'
import { rosterAsks } from '#shared/contracts/subjects/roster.ts'

export const asks = {
  ...subjectAsks,
  ...notificationAsks,
  ...peopleAsks,
  ...proberAsks,
  ...resourceAsks,
  ...incidentAsks,
  ...overviewAsks,
  ...rosterAsks,
  ...monitorAsks,
  ...conditionAsks,
  ...auditAsks,
  ...addressAsks,
  ...pingAsks,
  ...secretAsks,
  /** Returns the user of a key. Null: the key is unknown, deleted or expired. */
  authenticate: ask<Identity | null>()({ tokenHash: TokenHash }),
  /** Records the last use of keys. `usedAt`: instant of the last use (ms) by key id. Returns null. */
  'touch-keys': ask<null>()({ usedAt: Type.Record(Id, Type.Integer()) }),
  'list-workspaces': ask<{ id: string; name: string; role: Role }[]>()({ userId: Id }),
  'list-locations': ask<LocationView[]>()({}),
  /** Returns the location with this name. Creates the location if it does not exist. */
  'ensure-location': ask<LocationView>()({ name: Type.String({ minLength: 1, maxLength: 100 }) }),
  /**
   * Reserves a free slug made from `name`. A repeated request gets the same slug. `fallback`: slug for a name without a letter or digit.
   */
  'reserve-name': ask<{ slug: string }>()({
    workspaceId: Id,
    name: Type.String({ maxLength: 400 }),
    subjectId: Id,
    fallback: Type.String({ minLength: 1, maxLength: 40 }),
  }),
} as const

export type AskVerb = keyof typeof asks
export type AskRequest<V extends AskVerb> = Static<(typeof asks)[V]>

export interface Identity extends Caller {
  keyId: string
  /** First characters of the token, by which a person recognises the key. */
  keyPrefix: string
  /** Scope of the key; null: a full key. If the key has a scope, `memberships` contains only the workspace of the scope, or nothing. */
  scope: KeyScope | null
}

export type AskResults = { [V in AskVerb]: (typeof asks)[V]['~result'] }
