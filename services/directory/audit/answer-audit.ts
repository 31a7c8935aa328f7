// Which function answers which question about the audit (shared/contracts/ask/ask-audit.ts).
import { listAudit, listAuditedWorkspaces, recordAudit } from './audit.ts'

export const auditAnswerers = {
  'record-audit': recordAudit,
  'list-audit': listAudit,
  'list-audited-workspaces': listAuditedWorkspaces,
}
