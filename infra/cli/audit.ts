// `./watchkeeper audit`: who changed what and who read evidence, newest first. Rules: docs/reference/v3.md, 11.3 to 11.5.
import { type Command, InvalidArgumentError } from 'commander'
import { allPages } from '#shared/all-pages.ts'
import type { AuditView } from '#shared/contracts/ask-audit.ts'
import { isId } from '#shared/is-id.ts'
import { exitCodes, StartError } from '../embedded/start-error.ts'
import { userOf, workspaceOf } from './look-up.ts'
import type { JsonOption } from './noun.ts'
import { instant, printJson, printTable } from './printing.ts'
import { type Ask, withInstallation } from './running-installation.ts'

interface AuditOptions extends JsonOption {
  workspace?: string
  person?: string
  path?: string
  since?: number
  until?: number
  limit: number
}

/** Rows printed at most: what a person scrolls through, and what a script holds in memory. */
const rowsMax = 10_000
/** Rows of one answer. */
const pageRows = 200

export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('who changed what, and who read evidence: requests to generation 3 and to the session API, newest first')
    .option('--workspace <workspace>', 'only those of this workspace, by its id or its name; of a deleted one by its id')
    .option('--person <user>', 'only those of this person, by username or id')
    .option('--path <prefix>', 'only those whose path begins so behind the workspace, such as /templates')
    .option('--since <instant>', 'only those of this instant and later, such as 2026-10-05T12:00:00Z', readInstant)
    .option('--until <instant>', 'only those before this instant', readInstant)
    .option('--limit <rows>', `rows at most, 1 to ${rowsMax}`, readLimit, 50)
    .option('--json', 'print JSON, for scripts')
    .action(listAudit)
}

async function listAudit(options: AuditOptions): Promise<void> {
  const { rows, names } = await withInstallation(async ask => {
    const person = options.person === undefined ? null : await personOf(ask, options.person)
    const workspaces = await allPages(after => ask('list-all-workspaces', { after }))
    const audited = await audits(ask, options.workspace)
    const rows = await newestOf(ask, audited, { ...options, personId: person?.id ?? null })
    if (rows.length === 0 && person !== null && person.missing !== null) throw person.missing
    return { rows, names: new Map(workspaces.map(({ id, name }) => [id, name])) }
  })
  if (options.json) return printJson(rows.map(readable))
  printTable(
    ['at', 'person', 'by', 'workspace', 'method', 'path', 'status', 'user agent'],
    rows.map(row => [
      instant(row.at),
      row.person?.name ?? '',
      byOf(row),
      row.workspaceId === null ? '' : (names.get(row.workspaceId) ?? row.workspaceId),
      row.method,
      row.path,
      String(row.status),
      row.userAgent ?? '',
    ]),
  )
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
  const { personId, path = null, until = null, limit } = wanted
  let newest: AuditView[] = []
  for (const workspaceId of workspaces) {
    const oldestKept = newest.length === limit ? (newest.at(-1)?.at ?? null) : null
    const since = oldestKept ?? wanted.since ?? null
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

const byOf = ({ key, address }: AuditView): string => {
  if (address !== null) return `address ${address.id}`
  return key === null ? 'session' : `key ${key.prefix}…`
}

function readInstant(text: string): number {
  const at = /\dT\d.*(Z|[+-]\d\d:\d\d)$/i.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at))
    throw new InvalidArgumentError('It must be an RFC 3339 instant with a zone, such as 2026-10-05T12:00:00Z.')
  return at
}

function readLimit(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > rowsMax) throw new InvalidArgumentError(`It must be 1 to ${rowsMax}.`)
  return limit
}

const readable = ({ at, person, key, address, workspaceId, method, path, status, userAgent }: AuditView) => ({
  at: instant(at),
  person,
  key,
  address,
  workspace: workspaceId,
  method,
  path,
  status,
  user_agent: userAgent,
})
