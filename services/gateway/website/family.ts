// The two families of website routes. Generation 2 has monitors with locations. Generation 1, which is frozen, calls monitors "rules" and
// locations "regions". A family declares its own words, its own fields, and the refusals of the route that lists monitors. The five routes
// are the same in both families (routes.ts).
import type { Static, TSchema } from 'typebox'
import type { FailureMode } from '#shared/contracts/subjects/check.ts'
import type { WebsiteView } from '#shared/contracts/subjects/subject-views.ts'
import type { GatewayContext } from '../context.ts'
import type { Call } from '../http/answer.ts'
import type { ClassicRefusal } from '../v2/classic-route.ts'
import type { SettingsBody, WebsiteSettings } from './settings.ts'

export interface WebsiteInput extends WebsiteSettings {
  places: string[]
  /** Stored form of the field `agreement`; null: the field was not sent, or the family has no such field. */
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
  path: string
  /** Name of the path parameter for the monitor's id. */
  idPart: 'id' | 'uid'
  /** Field of a response that holds the id of the deleted monitor. */
  idField: 'monitor_id' | 'rule_id'
  placeField: 'locations' | 'regions'
  /** Word for a location in the details of a refusal, such as `Unknown location: <name>` (reference/website-monitors 4.1). */
  placeWord: 'location' | 'region'
  notFound: { message: string; details: string }
  deletedMessage: string
  /** Schemas of bodies. A body that creates a monitor must name the workspace; in an update the workspace is ignored. */
  bodies: { create: typeof SettingsBody; update: typeof SettingsBody }
  result: TSchema
  words: Record<'list' | 'create' | 'get' | 'update' | 'delete', RouteWords>
  read(body: Sent): WebsiteInput
  object(website: WebsiteView, namesOf: (ids: readonly string[]) => string[]): object
  /** Throws if the caller may not list the monitors of this workspace. */
  requireListable(context: GatewayContext, call: Call, workspaceId: string): Promise<void> | void
}
