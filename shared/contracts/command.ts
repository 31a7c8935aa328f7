// Commands to a subject's keeper. Each carries an id made once per HTTP request: a repeated id gets the first answer.
// The subject's id is in the bus subject, creates included.
import { type Static, Type } from 'typebox'
import { Id } from '#shared/contracts/common.ts'
import { FailureMode, WebsiteMeta } from '#shared/contracts/website.ts'

const Name = Type.String({ minLength: 1, maxLength: 400 })

/** Answers a SubjectView. Refused: invalid_state when the subject exists. */
export const CreateWebsite = Type.Object({
  kind: Type.Literal('create-website'),
  id: Id,
  workspaceId: Id,
  slug: Type.String({ minLength: 1, maxLength: 80 }),
  name: Name,
  meta: WebsiteMeta,
})

/** Full replacement of what generations 1 and 2 can express; `failure_mode` null keeps the stored one. Answers a SubjectView. */
export const UpdateWebsite = Type.Object({
  kind: Type.Literal('update-website'),
  id: Id,
  name: Name,
  meta: Type.Object({
    ...Type.Omit(WebsiteMeta, ['failure_mode', 'confirm_after', 'recover_after']).properties,
    failure_mode: Type.Union([FailureMode, Type.Null()]),
  }),
})

/** Commits a tombstone at once; history and observations follow in slices. Answers `{ id }`. */
export const DeleteSubject = Type.Object({ kind: Type.Literal('delete-subject'), id: Id })

export const Command = Type.Union([CreateWebsite, UpdateWebsite, DeleteSubject])
export type Command = Static<typeof Command>
export type CreateWebsite = Static<typeof CreateWebsite>
export type UpdateWebsite = Static<typeof UpdateWebsite>

/** A subject as commands and reads answer it: what the dialects need of it. */
export interface SubjectView {
  id: string
  rev: number
  workspaceId: string
  slug: string
  name: string
  kind: 'website' | 'custom'
  template: string | null
  meta: WebsiteMeta
  createdAt: number
  updatedAt: number
}
