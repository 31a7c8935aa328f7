// The verbs of Resources, also used by the commands for website monitors.
import { type Command, Option } from 'commander'
import type { ApiRequest } from '#shared/api-v3/exchange.ts'
import { usageError } from '../../runtime/start-error.ts'
import { type Resource, type ResourceDetail, resourceOf } from '../api/look-up-api.ts'
import { type InWorkspace, withWorkspace } from '../api/with-workspace.ts'
import { type ApiOptions, collect } from '../noun.ts'
import { printJson, printMade, printTable, say } from '../terminal/printing.ts'
import { everyRow, listRows, type RowsOf, type SearchOptions, statuses } from './monitor-rows.ts'
import { filterOf, readAnswers, readPairs, resourcePath } from './pairs.ts'

interface PairOptions extends ApiOptions {
  meta?: string[]
  label?: string[]
}

export interface ListOptions extends PairOptions, SearchOptions {
  wide?: boolean
  template?: string
  state?: string
}

export interface NewResource extends PairOptions {
  template: string
  key?: string
}

export interface ChangeOptions extends PairOptions {
  name?: string
}

/** Adds the options of a list command, except the filters by Template and by the values of a Template's fields. */
export const withListOptions = (list: Command): Command =>
  list
    .option('--wide', 'also ids, labels, and why an Incident is open')
    .option('--label <key=value>', 'only those with this label; at most five', collect)
    .addOption(new Option('--state <state>', 'default: active').choices(['active', 'archived', 'all']))
    .option('--search <text>', 'only those with this part in name, key or host, with status, the worst first')
    .addOption(new Option('--status <status>', 'only those with this status, the worst first').choices(statuses))

type AnswersOf = (place: InWorkspace) => Promise<Record<string, unknown>>

export async function createResource(name: string, options: NewResource, answersOf?: AnswersOf): Promise<void> {
  const { template, key } = options
  const labels = readPairs('--label', options.label ?? [], false)
  const made = await withWorkspace(options, async place => {
    const meta = { ...(await answersOf?.(place)), ...(await readAnswers(place, template, options.meta)) }
    return place.api.send<ResourceDetail>('POST', `${place.root}/resources`, { template, key, name, meta, labels })
  })
  if (options.json) return printJson(made)
  printMade(made.key, `Resource "${made.name}" of ${made.template} is made. Its key:`)
}

/** `rowsOf`: the rows behind `--search` and `--status`. */
export async function listResources(options: ListOptions, rowsOf: RowsOf = everyRow): Promise<void> {
  const { template, state, search, status } = options
  if (search !== undefined || status !== undefined) {
    const isFiltered = state ?? options.meta ?? options.label ?? options.wide ?? (rowsOf === everyRow ? template : undefined)
    if (isFiltered !== undefined) throw usageError('--search and --status go with no other filter and not with --wide.')
    return listRows(options, rowsOf)
  }
  const query = { template, state, ...filterOf('--meta', options.meta), ...filterOf('--label', options.label) }
  const found = await withWorkspace(options, ({ api, root }) => api.list<Resource>(`${root}/resources`, query, 'Resources'))
  if (options.json) return printJson(found)
  if (!options.wide) {
    return printTable(
      ['key', 'template', 'incident', 'name'],
      found.map(one => [one.key, one.template ?? '', stateOf(one), one.name]),
    )
  }
  printTable(
    ['id', 'key', 'template', 'incident', 'incident id', 'explanation', 'labels', 'made', 'name'],
    found.map(one => [
      one.id,
      one.key,
      one.template ?? '',
      stateOf(one),
      one.open_incident?.id ?? '',
      one.open_incident?.explanation ?? '',
      pairsOf(one.labels),
      one.created_at.slice(0, 10),
      one.name,
    ]),
  )
}

const stateOf = ({ archived_at: archivedAt, open_incident: incident }: Resource): string =>
  archivedAt === null ? (incident?.standing ?? '') : 'archived'

const pairsOf = (pairs: Readonly<Record<string, unknown>>): string =>
  Object.entries(pairs)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')

/** Finds the Resource of a command. */
export type Find = typeof resourceOf

export async function showResource(named: string, options: ApiOptions, find: Find = resourceOf): Promise<void> {
  const shown = await withWorkspace(options, ({ api, workspace }) => find(api, workspace.id, named))
  if (options.json) return printJson(shown)
  const { id, key, name, template, labels, meta, maintenance, archived_at: archivedAt } = shown
  say(`${key} (${id}) "${name}", ${template === null ? 'a custom subject of generation 2' : template}`)
  if (Object.keys(labels).length > 0) say(`labels: ${pairsOf(labels)}`)
  if (Object.keys(meta).length > 0) say(`answers: ${pairsOf(meta)}`)
  if (maintenance !== null) say(`in maintenance until ${maintenance.until}, by ${maintenance.by}`)
  if (archivedAt !== null) say(`archived at ${archivedAt}`)
  console.log()
  printTable(
    ['rule', 'status', 'since', 'incident', 'explanation'],
    shown.rules.map(rule => [
      rule.key,
      rule.status ?? 'not judged yet',
      rule.since ?? '',
      rule.open_incident ?? '',
      rule.explanation ?? '',
    ]),
  )
  console.log()
  printTable(
    ['signal', 'kind', 'states'],
    shown.signals.map(signal => [signal.key, signal.kind, signal.states.join(' ')]),
  )
}

export async function changeResource(
  named: string,
  options: ChangeOptions,
  answersOf?: AnswersOf,
  find: Find = resourceOf,
): Promise<void> {
  const { name } = options
  if ([name, options.meta, options.label, answersOf].every(one => one === undefined))
    throw usageError('Say what to change, such as --name, --meta or --label.')
  const labels = options.label && readPairs('--label', options.label, true)
  const changed = await withWorkspace(options, async place => {
    const { id, template } = await find(place.api, place.workspace.id, named)
    const answers = await readAnswers(place, template ?? '', options.meta)
    const meta = answersOf === undefined ? answers : { ...(await answersOf(place)), ...answers }
    return place.api.send<ResourceDetail>('PATCH', resourcePath(place.root, id), { name, meta, labels })
  })
  if (options.json) return printJson(changed)
  say(`Resource ${changed.key} ("${changed.name}") is changed.`)
}

export async function archiveResource(named: string, options: ApiOptions, find: Find = resourceOf): Promise<void> {
  const archived = await sendTo(named, options, { method: 'POST', path: '/archive', find })
  if (options.json) return printJson(archived)
  say(`Resource ${archived.key} ("${archived.name}") is archived.`)
}

interface SentAnswers {
  method: ApiRequest['method']
  path: string
  body?: object
  find?: Find
}

/** Sends a request to a path below a Resource. Returns the changed Resource. */
export const sendTo = (named: string, options: ApiOptions, { method, path, body, find = resourceOf }: SentAnswers) =>
  withWorkspace(options, async ({ api, workspace, root }) => {
    const { id } = await find(api, workspace.id, named)
    return api.send<ResourceDetail>(method, resourcePath(root, id) + path, body)
  })
