// Reads of subjects, their incidents and what hangs on them. Their keeper alone writes them.
import { Type } from 'typebox'
import { Id, Nullable, Slug } from '#shared/contracts/common.ts'
import type { HistoryDocument, IncidentDocument, IncidentSnapshot, IncidentStatus } from '#shared/contracts/incident.ts'
import { After, type Page } from '#shared/contracts/page.ts'
import { GetRollUps, type RollUps } from '#shared/contracts/roll-up.ts'
import type { RuleVerdict, SubjectKind } from '#shared/contracts/subject.ts'
import type { CustomSubjectSummary, CustomSubjectView, SubjectView, WebsiteView } from '#shared/contracts/subject-views.ts'

export const subjectAsks = {
  /** Whether there is such a workspace: v1 tells an unknown one from one that is out of reach (spec A, Errors). */
  'workspace-exists': Type.Object({ workspaceId: Id }),
  /** Null where there is none, or a tombstone. */
  'get-subject': Type.Object({ subjectId: Id }),
  /** A page of the workspace's website monitors by creation. */
  'list-websites': Type.Object({ workspaceId: Id, after: After }),
  /** A page of the workspace's custom subjects by creation, website monitors that became custom included. */
  'list-custom-subjects': Type.Object({ workspaceId: Id, after: After }),
  /**
   * The subject of this slug in any of these workspaces, whatever its kind (the slug is unique in each of them). Templates other than
   * `website-check` are left out.
   */
  'find-subjects': Type.Object({
    slug: Slug,
    workspaceIds: Type.Array(Id, { maxItems: 1_000 }),
  }),
  /** A page of open incidents of a workspace, or of one subject of it, newest trouble first. */
  'list-open-incidents': Type.Object({ workspaceId: Id, subjectId: Type.Optional(Nullable(Id)), after: After }),
  /** An incident, open or closed, by its internal id; null where there is none or its subject is deleted. */
  'get-incident': Type.Object({ incidentId: Id }),
  /** An incident with a page of its history; `id` is the internal one, or the public one where this installation made the salt. */
  'get-incident-records': Type.Object({ id: Id, afterSequence: Type.Integer({ minimum: 0 }) }),
  'get-roll-ups': GetRollUps,
} as const

export interface IncidentView {
  /** Inside the system. */
  id: string
  /** As the API shows it. */
  publicId: string
  subjectId: string
  subjectName: string
  subjectKind: SubjectKind
  workspaceId: string
  number: number
  /** The rule that opened it, as it is called now; of one that was removed the slug stands for the name too. */
  ruleKey: string
  ruleSlug: string
  ruleName: string
  /** A closed incident reads `ok`. */
  status: IncidentStatus
  open: boolean
  troubleSince: number
  confirmedAt: number | null
  wellSince: number | null
  closedAt: number | null
  acknowledgedAt: number | null
  /** Display name; null while nobody acknowledged. */
  acknowledgedBy: string | null
  /** Inputs of the evidence by what they read: location ids for a website monitor's own rule. */
  failing: string[]
  unknown: string[]
  ok: string[]
}

export interface FoundSubjects {
  /** Where exactly one was found. */
  subject: CustomSubjectView | null
  /** The workspaces of what was found; of many the first few. */
  workspaceIds: string[]
}

export interface IncidentRecords {
  incident: IncidentDocument | null
  history: HistoryDocument[]
  more: boolean
  /** Told by the last page; null where no subject holds the incident as open. */
  held: HeldIncident | null
  /** A damaged document among them, as its collection and id: then nothing else is told. Null: all could be read. */
  unreadable: string | null
}

/** An open incident as its subject holds it: the machine's own state, and what its rule said last. */
export interface HeldIncident {
  ruleKey: string
  snapshot: IncidentSnapshot
  verdict: RuleVerdict | null
}

export interface SubjectAnswers {
  'workspace-exists': boolean
  'get-subject': SubjectView | null
  'list-websites': Page<WebsiteView>
  'list-custom-subjects': Page<CustomSubjectSummary>
  'find-subjects': FoundSubjects
  'list-open-incidents': Page<IncidentView>
  'get-incident': IncidentView | null
  'get-incident-records': IncidentRecords
  'get-roll-ups': RollUps | null
}
