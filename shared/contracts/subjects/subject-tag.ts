// Tags of subjects: one document for each property by which lists are filtered. Rules: docs/reference/v3.md, 9.2 to 9.4.
import type { Stored } from '#shared/contracts/common.ts'

/** id: `subjectTagId(workspace, tag, subject)`. `rev`: revision of the subject with the change; smaller revisions change nothing. */
export interface SubjectTagDocument extends Stored {
  /** 1: the tag is removed. The document stays for a while so that late writes change nothing. */
  gone: 0 | 1
  /** Ms; null while the subject has the tag. */
  expireAt: number | null
}
