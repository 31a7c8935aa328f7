// Audit of the whole installation over the bus. The command uses the bus, because no API key can read the rows of deleted workspaces and
// rows without a workspace (ADR 0028).
import { allPages, pages } from '#shared/async/pages.ts'
import type { AuditView } from '#shared/contracts/ask/ask-audit.ts'
import { auditObject } from '../../../services/gateway/v3/audit.ts'
import { userOf, workspaceOf } from '../installation/look-up.ts'
import { type Ask, withInstallation } from '../installation/running-installation.ts'
import { type AuditOptions, type AuditRow, isNotFound, rowsOf } from './audit-row.ts'

/** Largest number of rows in one response. */
const pageRows = 200

/** Returns the newest rows, and names of workspaces by id. */
export async function installationAudit(options: AuditOptions): Promise<{ rows: AuditRow[]; names: Map<string, string> }> {
  return withInstallation(async ask => {
    const workspaces = await allPages(after => ask('list-all-workspaces', { after }))
    const audited = await audits(ask, options.workspace)
    const read = (personId = null as string | null) => newestOf(ask, audited, { ...options, personId })
    const rows = await rowsOf(options.person, named => userOf(ask, named), read)
    return { rows: rows.map(auditObject), names: new Map(workspaces.map(({ id, name }) => [id, name])) }
  })
}

/** Returns the workspaces whose rows are requested; null stands for rows without a workspace. */
async function audits(ask: Ask, named: string | undefined): Promise<(string | null)[]> {
  const audited = () => allPages(after => ask('list-audited-workspaces', { after }))
  if (named === undefined) return audited()
  try {
    return [(await workspaceOf(ask, named)).id]
  } catch (error) {
    if (isNotFound(error) && (await audited()).includes(named)) return [named]
    throw error
  }
}

type WantedAudit = AuditOptions & { personId: string | null }

/**
 * Returns the newest rows of all these workspaces. Once `limit` rows are found, skips all rows of further workspaces that are older than
 * these rows.
 */
async function newestOf(ask: Ask, workspaces: readonly (string | null)[], wanted: WantedAudit): Promise<AuditView[]> {
  const { personId, path = null, limit } = wanted
  const [from, until] = [atOf(wanted.since), atOf(wanted.until)]
  let newest: AuditView[] = []
  for (const workspaceId of workspaces) {
    const oldestKept = newest.length === limit ? (newest.at(-1)?.at ?? null) : null
    const since = oldestKept ?? from
    const found: AuditView[] = []
    const filters = { workspaceId, personId, path, since, until }
    const read = (after: string | null) =>
      ask('list-audit', { ...filters, limit: Math.min(pageRows, limit - found.length), after })
    for await (const page of pages(read)) if (found.push(...page) >= limit) break
    newest = [...newest, ...found].sort((one, other) => other.at - one.at).slice(0, limit)
  }
  return newest
}

const atOf = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text))
