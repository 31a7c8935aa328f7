// How routes below a custom subject are addressed (spec B, Addressing): a slug, and a workspace only where the slug is ambiguous.
import { Type } from 'typebox'
import type { QueryParameter, Refusal } from './description.ts'
import { accessDenied } from './refusals.ts'

export const anyWorkspaceQuery: Record<string, QueryParameter> = {
  workspace_id: {
    required: false,
    schema: Type.String(),
    meaning: 'Needed only where two of your workspaces have a subject of this slug.',
  },
}

export const ofSubject: readonly Refusal[] = [
  '2002 Subject not found',
  '2004 Website subjects are managed elsewhere',
  '2004 Ambiguous subject',
  accessDenied,
]
