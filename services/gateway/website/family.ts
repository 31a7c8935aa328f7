// Dialects of website monitoring: monitors with locations (v2) and rules with regions (v1, frozen), with the same five methods. A family
// declares the differences: words, fields, and refusals of lists. The common code is in routes.ts.
import type { Static, TSchema } from 'typebox'
import type { WebsiteView } from '#shared/contracts/subjects/subject-views.ts'
import type { FailureMode } from '#shared/contracts/subjects/website.ts'
import type { GatewayContext } from '../context.ts'
import type { Call } from '../http/answer.ts'
import type { ClassicRefusal } from '../v2/classic-route.ts'
import type { SettingsBody, WebsiteSettings } from './settings.ts'

export interface WebsiteInput extends WebsiteSettings {
  /** Names of locations, as sent. */
  places: string[]
  /** Agreement between locations; null: none was sent, or the family has no agreements. */
  failureMode: FailureMode | null
}

/** Parts of a route's record that differ between the families. */
interface RouteWords {
  summary: string
  more?: string
  refusals: readonly ClassicRefusal[]
  examples?: readonly unknown[]
}

export interface WebsiteFamily<Sent extends Static<typeof SettingsBody> = Static<typeof SettingsBody>> {
  /** Path below the generation's prefix. */
  path: string
  /** Name of the id in a path. */
  idPart: 'id' | 'uid'
  /** Field of a response that holds the id of the deleted monitor. */
  idField: 'monitor_id' | 'rule_id'
  placeField: 'locations' | 'regions'
  /** Word in a refusal's details: `Unknown location: <name>` (reference/website-monitors 4.1). */
  placeWord: 'location' | 'region'
  notFound: { message: string; details: string }
  deletedMessage: string
  /** Schemas of bodies. An update ignores the workspace; a creation requires it. */
  bodies: { create: typeof SettingsBody; update: typeof SettingsBody }
  result: TSchema
  words: Record<'list' | 'create' | 'get' | 'update' | 'delete', RouteWords>
  read(body: Sent): WebsiteInput
  object(website: WebsiteView, namesOf: (ids: readonly string[]) => string[]): object
  /** Throws if the caller may not list this workspace. */
  requireListable(context: GatewayContext, call: Call, workspaceId: string): Promise<void> | void
}
