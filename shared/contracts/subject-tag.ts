// Tags of subjects: one document for each thing that lists are filtered by. Rules: docs/reference/v3.md, 9.2 to 9.4.
import type { Stored } from '#shared/contracts/common.ts'

/**
 * id: `subjectTagId(workspace, tag, subject)`. `rev` is that of the subject's document that put the tag or took it away: a late write of an
 * earlier one changes nothing.
 */
export interface SubjectTagDocument extends Stored {
  /** 1: the subject has the tag no more. The document stays a while to refuse late writes. */
  gone: 0 | 1
  /** Ms; null while the subject has the tag. */
  expireAt: number | null
}
