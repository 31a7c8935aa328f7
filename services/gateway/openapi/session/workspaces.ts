// Workspaces with their members, and changes of subjects that the dashboard alone makes (docs/session-api.md, docs/custom-subjects.md).
import { Type } from 'typebox'
import { Answered } from '../../result-schema.ts'
import type { QueryParameter } from '../../route.ts'
import { MemberRole, NewMember } from '../../session/members.ts'
import { WorkspaceName } from '../../session/workspaces.ts'
import { SubjectRule } from '../../v2/subjects/policy-object.ts'
import { RuleBody } from '../../v2/subjects/rules.ts'
import { CreateSignalBody, Signal } from '../../v2/subjects/signals.ts'
import { Window, WindowBody } from '../../v2/subjects/window.ts'
import type { SessionDescriptions } from './description.ts'

const Role = Type.Enum(['owner', 'editor', 'viewer'])

/** Not of generation 2: it has no `kind`. */
export const WorkspaceOfMine = Answered('WorkspaceOfMine', {
  id: Type.String(),
  name: Type.String(),
  role: Type.Enum(['owner', 'editor', 'viewer'], { description: "The caller's." }),
})

const Member = Answered('Member', {
  user_id: Type.String(),
  username: Type.String(),
  display_name: Type.String(),
  role: Role,
  disabled: Type.Boolean(),
})

const members = '/session/workspaces/{workspaceId}/members'

export const workspaces: SessionDescriptions = {
  'GET /session/workspaces': {
    summary: 'The workspaces that one is a member of.',
    who: 'signed in',
    status: 200,
    result: Type.Object({ workspaces: Type.Array(WorkspaceOfMine) }, { additionalProperties: false }),
  },
  'POST /session/workspaces': {
    summary: 'Makes a workspace; whoever makes it owns it.',
    who: 'signed in',
    body: WorkspaceName,
    example: { name: 'Payments' },
    status: 201,
    result: WorkspaceOfMine,
    refusals: ['conflict'],
  },
  'PATCH /session/workspaces/{workspaceId}': {
    summary: 'Renames a workspace.',
    who: 'owner',
    body: WorkspaceName,
    example: { name: 'Payments and refunds' },
    status: 200,
    result: WorkspaceOfMine,
  },
  [`GET ${members}`]: {
    summary: 'The members of a workspace.',
    who: 'member',
    status: 200,
    result: Type.Object({ members: Type.Array(Member) }, { additionalProperties: false }),
  },
  [`POST ${members}`]: {
    summary: 'Adds a member by username.',
    who: 'owner',
    body: NewMember,
    example: { username: 'ada', role: 'viewer' },
    status: 201,
    result: Member,
    refusals: ['conflict'],
  },
  [`PATCH ${members}/{userId}`]: {
    summary: 'Changes the role of a member; an owner stays.',
    who: 'owner',
    body: MemberRole,
    example: { role: 'editor' },
    status: 200,
    result: Member,
    refusals: ['conflict'],
  },
  [`DELETE ${members}/{userId}`]: {
    summary: 'Removes a member, or leaves; an owner stays.',
    who: 'owner',
    status: 204,
    refusals: ['conflict'],
  },
}

const workspaceQuery: Record<string, QueryParameter> = {
  workspace_id: {
    required: false,
    schema: Type.String(),
    meaning: 'If it is given, the path holds the slug of a subject, else the id of a monitor.',
  },
}
const subject = '/session/subjects/{subjectId}'
const ofSubject = { who: 'editor', query: workspaceQuery } as const

export const subjects: SessionDescriptions = {
  [`POST ${subject}/maintenance`]: {
    ...ofSubject,
    summary: 'Starts maintenance of a monitor or a custom subject now.',
    body: WindowBody,
    example: { ends_at: '2099-12-31T22:00:00+01:00' },
    status: 201,
    result: Window,
    refusals: ['conflict'],
  },
  [`PATCH ${subject}/maintenance`]: {
    ...ofSubject,
    summary: 'Moves the end of the running window.',
    body: WindowBody,
    example: { ends_at: '2099-12-31T23:00:00+01:00' },
    status: 200,
    result: Window,
  },
  [`DELETE ${subject}/maintenance`]: { ...ofSubject, summary: 'Ends the running window early.', status: 200, result: Window },
  [`POST ${subject}/signals`]: {
    ...ofSubject,
    summary: 'Adds a signal; a monitor becomes a custom subject by it, for good.',
    body: CreateSignalBody,
    example: { name: 'Orders', kind: 'custom_event' },
    status: 201,
    result: Signal,
    refusals: ['conflict'],
  },
  [`POST ${subject}/rules`]: {
    ...ofSubject,
    summary: 'Adds a rule; a monitor becomes a custom subject by it, for good.',
    body: RuleBody,
    example: { name: 'No orders', document: { inputs: [{ signal: 'orders', mode: 'status' }], decision: { need: 'any' } } },
    status: 201,
    result: SubjectRule,
    refusals: ['conflict'],
  },
  [`DELETE ${subject}`]: {
    ...ofSubject,
    summary: 'Deletes a custom subject with its whole history.',
    status: 204,
    refusals: ['conflict'],
  },
}
