// The audit of the whole installation over the bus: no key of a workspace may read rows of other workspaces, of deleted ones and of none (ADR 0028).
import { allPages } from '#shared/all-pages.ts'
import type { AuditView } from '#shared/contracts/ask-audit.ts'
import { isId } from '#shared/is-id.ts'
import { auditObject } from '../../services/gateway/v3/audit.ts'
import { exitCodes, StartError } from '../embedded/start-error.ts'
import type { AuditOptions, AuditRow } from './audit-row.ts'
import { userOf, workspaceOf } from './look-up.ts'
import { type Ask, withInstallation } from './running-installation.ts'

/** Rows of one response. */
const pageRows = 200

/** The newest rows, and the names of workspaces by id. */
export async function installationAudit(options: AuditOptions): Promise<{ rows: AuditRow[]; names: Map<string, string> }> {
  return withInstallation(async ask => {
    const person = options.person === undefined ? null : await personOf(ask, options.person)
    const workspaces = await allPages(after => ask('list-all-workspaces', { after }))
    const audited = await audits(ask, options.workspace)
    const rows = await newestOf(ask, audited, { ...options, personId: person?.id ?? null })
    if (rows.length === 0 && person !== null && person.missing !== null) throw person.missing
    return { rows: rows.map(auditObject), names: new Map(workspaces.map(({ id, name }) => [id, name])) }
  })
}

/** The workspaces whose rows are wanted; null among them stands for rows without one. */
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

/** By username or id. A person who is gone may still have rows: `missing` is thrown if there are none. */
async function personOf(ask: Ask, named: string): Promise<{ id: string; missing: StartError | null }> {
  try {
    return { id: (await userOf(ask, named)).id, missing: null }
  } catch (error) {
    if (!isNotFound(error) || !isId(named)) throw error
    return { id: named, missing: error }
  }
}

const isNotFound = (error: unknown): error is StartError => error instanceof StartError && error.exitCode === exitCodes.notFound

type Wanted = AuditOptions & { personId: string | null }

/** The newest rows of all these workspaces; of each only those are read that may be among them. */
async function newestOf(ask: Ask, workspaces: readonly (string | null)[], wanted: Wanted): Promise<AuditView[]> {
  const { personId, path = null, limit } = wanted
  const [from, until] = [atOf(wanted.since), atOf(wanted.until)]
  let newest: AuditView[] = []
  for (const workspaceId of workspaces) {
    const oldestKept = newest.length === limit ? (newest.at(-1)?.at ?? null) : null
    const since = oldestKept ?? from
    const found: AuditView[] = []
    let after: string | null = null
    do {
      const size = Math.min(pageRows, limit - found.length)
      const filters = { workspaceId, personId, path, since, until }
      const page: Awaited<ReturnType<typeof ask<'list-audit'>>> = await ask('list-audit', { ...filters, limit: size, after })
      found.push(...page.items)
      after = page.next
    } while (after !== null && found.length < limit)
    newest = [...newest, ...found].sort((one, other) => other.at - one.at).slice(0, limit)
  }
  return newest
}

const atOf = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text))
