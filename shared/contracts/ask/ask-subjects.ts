// Requests that read subjects, their incidents and their roll-ups. The directory only reads subjects; only the keeper of a subject writes
// it.
import { Type } from 'typebox'
import { After, type Page } from '#shared/contracts/ask/reply.ts'
import { ask, Id, Nullable, Slug } from '#shared/contracts/common.ts'
import type { AlertKind } from '#shared/contracts/incidents/alert.ts'
import type {
  HistoryDocument,
  IncidentCourse,
  IncidentDocument,
  IncidentSnapshot,
  IncidentStatus,
} from '#shared/contracts/incidents/incident.ts'
import { GetRollUps } from '#shared/contracts/observations/roll-up.ts'
import type { RuleVerdict } from '#shared/contracts/subjects/subject.ts'
import type { SubjectKind } from '#shared/contracts/subjects/subject-kind.ts'
import type {
  CustomSubjectSummary,
  CustomSubjectView,
  SubjectView,
  WebsiteView,
} from '#shared/contracts/subjects/subject-views.ts'

export const subjectAsks = {
  /**
   * Returns whether the workspace exists. Generation 1 needs this, because its refusal of an unknown workspace differs from other refusals
   * (reference/website-monitors 4.1).
   */
  'workspace-exists': ask<boolean>()({ workspaceId: Id }),
  /** Returns a subject; null: the subject does not exist or is a tombstone. */
  'get-subject': ask<SubjectView | null>()({ subjectId: Id }),
  /** A page of the workspace's website monitors, oldest first. */
  'list-websites': ask<Page<WebsiteView>>()({ workspaceId: Id, after: After }),
  /** A page of the workspace's custom subjects, oldest first. Website monitors that became custom subjects are included. */
  'list-custom-subjects': ask<Page<CustomSubjectSummary>>()({ workspaceId: Id, after: After }),
  /** Subjects with this slug in the given workspaces. A workspace has at most one. Resources of published Templates are ignored. */
  'find-subjects': ask<FoundSubjects>()({
    slug: Slug,
    workspaceIds: Type.Array(Id, { maxItems: 1_000 }),
  }),
  /** A page of the open incidents of a workspace or of one of its subjects. Sorted by the start of the trouble, latest start first. */
  'list-open-incidents': ask<Page<IncidentView>>()({ workspaceId: Id, subjectId: Type.Optional(Nullable(Id)), after: After }),
  /** Returns the incident with this internal id, open or closed. Null: the incident does not exist, or its subject is deleted. */
  'get-incident': ask<IncidentView | null>()({ incidentId: Id }),
  /**
   * An incident with a page of its history. `id`: internal id. A public id works too if this installation itself created the salt of public
   * ids.
   */
  'get-incident-records': ask<IncidentRecords>()({ id: Id, afterSequence: Type.Integer({ minimum: 0 }) }),
  'get-roll-ups': GetRollUps,
} as const

export interface IncidentView extends IncidentCourse {
  /** Internal id. */
  id: string
  /** Id of the incident in the API. */
  publicId: string
  subjectId: string
  subjectName: string
  subjectKind: SubjectKind
  workspaceId: string
  number: number
  /** Key, slug and present name of the rule that opened the incident. If the rule was removed, the name is the slug. */
  ruleKey: string
  ruleSlug: string
  ruleName: string
  /** Status of the incident; `ok` for a closed incident. */
  status: IncidentStatus
  open: boolean
  acknowledgedAt: number | null
  /** Display name of the person; null: not acknowledged. */
  acknowledgedBy: string | null
  /**
   * Inputs in the evidence, in three lists by their reading: `failing`, `unknown` and `ok`. For the built-in rule of a website monitor, the
   * inputs are location ids.
   */
  failing: string[]
  unknown: string[]
  ok: string[]
}

export interface FoundSubjects {
  /** The subject if exactly one was found. */
  subject: CustomSubjectView | null
  /** Workspaces of the found subjects. If there are many, only the first few. */
  workspaceIds: string[]
}

export interface IncidentRecords {
  incident: IncidentDocument | null
  history: HistoryDocument[]
  more: boolean
  /**
   * Present state of the incident. Null: this is not the last page, or the incident is not open in its subject's document.
   */
  held: HeldIncident | null
  /** Collection and id of a stored document that cannot be read; the other fields are then empty. Null: all documents could be read. */
  unreadable: string | null
}

/** An open incident as its subject's document contains it: the state of the incident's machine, and the last verdict of its rule. */
export interface HeldIncident {
  ruleKey: string
  snapshot: IncidentSnapshot
  verdict: RuleVerdict | null
  /** End of the subject's running maintenance window, ms since the epoch; null: no window runs. */
  mutedTo: number | null
  recipients: IncidentRecipients
}

/** For each kind of message, the names of the destinations that would get such a message now. */
export type IncidentRecipients = Record<AlertKind, string[]>
