// Requests that read subjects, their incidents and their roll-ups. Only the keeper of a subject writes the subject.
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
import type { RuleVerdict, SubjectKind } from '#shared/contracts/subjects/subject.ts'
import type {
  CustomSubjectSummary,
  CustomSubjectView,
  SubjectView,
  WebsiteView,
} from '#shared/contracts/subjects/subject-views.ts'

export const subjectAsks = {
  /** Returns whether the workspace exists: v1 refuses an unknown workspace with a message of its own (reference/website-monitors 4.1). */
  'workspace-exists': ask<boolean>()({ workspaceId: Id }),
  /** Returns null if the subject does not exist or is a tombstone. */
  'get-subject': ask<SubjectView | null>()({ subjectId: Id }),
  /** A page of the workspace's website monitors by creation. */
  'list-websites': ask<Page<WebsiteView>>()({ workspaceId: Id, after: After }),
  /** A page of the workspace's custom subjects by creation, website monitors that became custom subjects included. */
  'list-custom-subjects': ask<Page<CustomSubjectSummary>>()({ workspaceId: Id, after: After }),
  /** Subjects with this slug in the given workspaces, at most one in each; without Resources of published Templates. */
  'find-subjects': ask<FoundSubjects>()({
    slug: Slug,
    workspaceIds: Type.Array(Id, { maxItems: 1_000 }),
  }),
  /** A page of the open incidents of a workspace or of one of its subjects, the latest start of trouble first. */
  'list-open-incidents': ask<Page<IncidentView>>()({ workspaceId: Id, subjectId: Type.Optional(Nullable(Id)), after: After }),
  /** An incident, open or closed, by its internal id; null if it does not exist or its subject is deleted. */
  'get-incident': ask<IncidentView | null>()({ incidentId: Id }),
  /** An incident with a page of its history. `id` is internal, or public if this installation created the salt. */
  'get-incident-records': ask<IncidentRecords>()({ id: Id, afterSequence: Type.Integer({ minimum: 0 }) }),
  'get-roll-ups': GetRollUps,
} as const

export interface IncidentView extends IncidentCourse {
  /** Internal id. */
  id: string
  /** Id that the API shows. */
  publicId: string
  subjectId: string
  subjectName: string
  subjectKind: SubjectKind
  workspaceId: string
  number: number
  /** The rule that opened the incident, with its present name. For a removed rule the slug is also the name. */
  ruleKey: string
  ruleSlug: string
  ruleName: string
  /** `ok` for a closed incident. */
  status: IncidentStatus
  open: boolean
  acknowledgedAt: number | null
  /** Display name of the person; null: not acknowledged. */
  acknowledgedBy: string | null
  /** Inputs of the evidence, grouped by their readings. For the built-in rule of a website monitor these are location ids. */
  failing: string[]
  unknown: string[]
  ok: string[]
}

export interface FoundSubjects {
  /** The subject if exactly one was found. */
  subject: CustomSubjectView | null
  /** Workspaces of the found subjects; only the first few of many. */
  workspaceIds: string[]
}

export interface IncidentRecords {
  incident: IncidentDocument | null
  history: HistoryDocument[]
  more: boolean
  /** Set only on the last page; null: no subject holds the incident as open. */
  held: HeldIncident | null
  /** Collection and id of a damaged document among the records; the other fields are then empty. Null: all records could be read. */
  unreadable: string | null
}

/** An open incident as its subject's document holds it: the state of its machine and the last verdict of its rule. */
export interface HeldIncident {
  ruleKey: string
  snapshot: IncidentSnapshot
  verdict: RuleVerdict | null
  /** End of the subject's running maintenance window, ms since the epoch; null: no window runs. */
  mutedTo: number | null
  recipients: IncidentRecipients
}

/** Names of the destinations that would get a message now, by the kind of the message. */
export type IncidentRecipients = Record<AlertKind, string[]>
