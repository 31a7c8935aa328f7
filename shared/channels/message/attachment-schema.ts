// Schema of the attachments that `attachmentsOf` makes, for the documents of the API (reference/messages 5).
import { Type } from 'typebox'
import { Component } from '#shared/contracts/common.ts'

const Attachment = Component('MessageAttachment', {
  author_name: Type.String(),
  title: Type.String({ description: 'Such as `Shop is down`, `Shop — no data`, `Shop is back up`.' }),
  color: Type.String({ pattern: '^#[0-9a-f]{6}$' }),
  text: Type.String({ description: 'Lines for people. The last links to the page of the subject.' }),
  footer: Type.String(),
  timestamp: Type.Integer({ description: 'When the message was decided, Unix seconds.' }),
})
export const AttachmentsSchema = Type.Array(Attachment, { minItems: 1, maxItems: 1 })
