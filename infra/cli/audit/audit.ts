// `./watchkeeper audit`: who changed data or read evidence, newest first. Reference: docs/reference/v3.md, 11.3 to 11.5.
import { type Command, InvalidArgumentError } from 'commander'
import type { Static } from 'typebox'
import type { MemberObject } from '../../../services/gateway/v3/people/members.ts'
import { usageError } from '../../runtime/start-error.ts'
import { userOf } from '../api/look-up-api.ts'
import { type Api, withApi } from '../api/with-api.ts'
import { withWorkspace } from '../api/with-workspace.ts'
import { overApi, wholeNumber } from '../noun.ts'
import { kindOf, pick } from '../pick.ts'
import { printJson, printTable } from '../terminal/printing.ts'
import { type AuditOptions, type AuditRow, rowsOf } from './audit-row.ts'

/** Largest number of printed rows, which a person can scroll and a script can hold in memory. */
const rowsMax = 10_000
/** Largest number of rows in one response. */
const pageRows = 200

export function addAuditCommand(program: Command): void {
  const command = program.command('audit').description('who changed what in a workspace, and who read evidence, newest first')
  overApi(command)
    .option('--workspace <workspace>', 'its id or its name; with --installation also the id of a deleted one')
    .option('--installation', 'rows of all workspaces, of deleted ones and of none; with --url or --profile only those of none')
    .option('--person <person>', 'only those of this person, by username or id; by id also of one who has left')
    .option('--path <prefix>', 'only those whose path begins so behind the workspace, such as /templates')
    .option('--since <instant>', 'only those of this instant and later, such as 2026-10-05T12:00:00Z', readInstant)
    .option('--until <instant>', 'only those before this instant', readInstant)
    .option('--limit <rows>', `rows at most, 1 to ${rowsMax}`, wholeNumber(1, rowsMax), 50)
    .action(listAudit)
}

async function listAudit(options: AuditOptions): Promise<void> {
  if (!options.installation) return printAudit(await ofWorkspace(options), options)
  if (options.url !== undefined || options.profile !== undefined) return printAudit(await ofNoWorkspace(options), options)
  const { installationAudit } = await import('./audit-installation.ts')
  const { rows, names } = await installationAudit(options)
  printAudit(rows, options, names)
}

const ofWorkspace = (options: AuditOptions): Promise<AuditRow[]> =>
  withWorkspace(options, async ({ api, root }) => {
    const find = async (name: string) => pick(await api.all<Member>(`${root}/members`), name, members)
    return readRows(api, root, find, options)
  })

/** Rows without a workspace, for administrators on other machines. */
async function ofNoWorkspace({ workspace, ...options }: AuditOptions): Promise<AuditRow[]> {
  if (workspace !== undefined) throw usageError('--installation with --workspace goes without --url and --profile.')
  return withApi(options, api => readRows(api, '', name => userOf(api, name), options))
}

type Find = (named: string) => Promise<{ id: string }>

const readRows = (api: Api, root: string, find: Find, { person: named, path, since, until, limit }: AuditOptions) =>
  rowsOf(named, find, person => {
    const query = { person, path, since, until, limit: Math.min(limit, pageRows) }
    return api.list<AuditRow>(`${root}/audit`, query, 'rows', limit)
  })

type Member = Static<typeof MemberObject>

const members = kindOf<Member>('member', 'member list', member => member.username)

function printAudit(rows: readonly AuditRow[], { json }: AuditOptions, names?: ReadonlyMap<string, string>): void {
  if (json) {
    printJson(rows)
    return
  }
  const place = (row: AuditRow) => (row.workspace === null ? '' : (names?.get(row.workspace) ?? row.workspace))
  const columns: [title: string, cell: (row: AuditRow) => string][] = [
    ['at', row => row.at],
    ['person', row => row.person?.name ?? ''],
    ['by', byOf],
    ...(names === undefined ? [] : ([['workspace', place]] as [string, (row: AuditRow) => string][])),
    ['method', row => row.method],
    ['path', row => row.path],
    ['status', row => String(row.status)],
    ['user agent', row => row.user_agent ?? ''],
  ]
  printTable(
    columns.map(([title]) => title),
    rows.map(row => columns.map(([, cell]) => cell(row))),
  )
}

const byOf = ({ key, address, destination }: AuditRow): string => {
  // An older server says nothing of it.
  if (destination?.id !== undefined) return `link of ${destination.id}`
  if (address !== null) return `address ${address.id}`
  return key === null ? 'session' : `key ${key.prefix}…`
}

function readInstant(text: string): string {
  if (/\dT\d.*(Z|[+-]\d\d:\d\d)$/i.test(text) && !Number.isNaN(Date.parse(text))) return text
  throw new InvalidArgumentError('It must be an RFC 3339 instant with a zone, such as 2026-10-05T12:00:00Z.')
}
