// Website monitoring has two dialects of the same five methods: monitors with locations (v2) and rules with regions (v1, frozen).
// A family is what differs: words, fields and which list refuses what. Everything else is in routes.ts.
import type { Static, TSchema } from 'typebox'
import type { WebsiteView } from '#shared/contracts/subject-views.ts'
import type { FailureMode } from '#shared/contracts/website.ts'
import type { Call } from '../answer.ts'
import type { GatewayContext } from '../context.ts'
import type { ClassicRefusal } from '../v2/classic-route.ts'
import type { SettingsBody, WebsiteSettings } from './settings.ts'

export interface WebsiteInput extends WebsiteSettings {
  /** Names of locations, as sent. */
  places: string[]
  /** Null where none was sent, or the family knows none. */
  failureMode: FailureMode | null
}

/** The part of a route's record that is the family's own. */
interface RouteWords {
  summary: string
  more?: string
  refusals: readonly ClassicRefusal[]
  examples?: readonly unknown[]
}

export interface WebsiteFamily<Sent extends Static<typeof SettingsBody> = Static<typeof SettingsBody>> {
  /** Below the generation's prefix. */
  path: string
  /** The name of the id in a path. */
  idPart: 'id' | 'uid'
  /** The field of an answer that names the one that was deleted. */
  idField: 'monitor_id' | 'rule_id'
  placeField: 'locations' | 'regions'
  /** Of a refusal's details: `Unknown location: <name>` (spec A, Endpoints and Rules per route 4). */
  placeWord: 'location' | 'region'
  notFound: { message: string; details: string }
  deletedMessage: string
  /** The update ignores the workspace that a creation names. */
  bodies: { create: typeof SettingsBody; update: typeof SettingsBody }
  result: TSchema
  words: Record<'list' | 'create' | 'get' | 'update' | 'delete', RouteWords>
  read(body: Sent): WebsiteInput
  object(website: WebsiteView, namesOf: (ids: readonly string[]) => string[]): object
  /** Throws where the caller may not list this workspace. */
  requireListable(context: GatewayContext, call: Call, workspaceId: string): Promise<void> | void
}
