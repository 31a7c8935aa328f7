// Website monitoring has two dialects of the same five methods: monitors with locations (v2) and rules with regions (v1, frozen).
// A family is what differs: words, fields and which list refuses what. Everything else is in routes.ts.

import type { WebsiteView } from '#shared/contracts/subject-views.ts'
import type { FailureMode } from '#shared/contracts/website.ts'
import type { Call } from '../answer.ts'
import type { GatewayContext } from '../context.ts'
import type { WebsiteSettings } from './settings.ts'

export interface WebsiteInput extends WebsiteSettings {
  /** Names of locations, as sent. */
  places: string[]
  /** Null where none was sent, or the family knows none. */
  failureMode: FailureMode | null
}

export interface WebsiteFamily {
  /** Below the generation's prefix. */
  path: string
  placeField: 'locations' | 'regions'
  /** Of a refusal's details: `Unknown location: <name>` (spec A, Endpoints and Rules per route 4). */
  placeWord: 'location' | 'region'
  notFound: { message: string; details: string }
  read(body: Record<string, unknown>): WebsiteInput
  object(website: WebsiteView, namesOf: (ids: readonly string[]) => string[]): object
  deleted(id: string): object
  /** Throws where the caller may not list this workspace. */
  requireListable(context: GatewayContext, call: Call, workspaceId: string): Promise<void> | void
}
