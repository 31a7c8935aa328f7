// A row of the audit, and the options that select rows.
import type { Static } from 'typebox'
import type { AuditObject } from '../../../services/gateway/v3/audit.ts'
import type { ApiOptions } from '../noun.ts'

export type AuditRow = Static<typeof AuditObject>

export interface AuditOptions extends ApiOptions {
  installation?: boolean
  person?: string
  path?: string
  since?: string
  until?: string
  limit: number
}
