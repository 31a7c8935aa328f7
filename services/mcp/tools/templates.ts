// Tools of Templates: lists, publication, preview.

import { apiPath } from '#shared/api-v3/api-path.ts'
import { ApiUnreachable } from '#shared/api-v3/errors.ts'
import { at, manifest, meta, observation, page, templateReference, workspace } from '../arguments.ts'
import { ArgumentRefusal, tool } from '../tool.ts'

interface Revision {
  id: string
  key: string
  version: number
  /** Only of a system Template whose rules are no built-in ones. */
  system?: true
  rules?: readonly { decision: unknown }[]
}

const list = tool({
  name: 'list_templates',
  title: 'List Templates',
  description:
    'Templates with their fields, signals and rules, those of the system last: the highest revision of each, or every one of a key.',
  arguments: { workspace, key: { type: 'string', minLength: 1, description: 'Shows every revision of this key.' }, ...page },
  required: [],
  result: 'array',
  needs: null,
  effect: 'reads',
  run: async ({ api, workspace }, { key, limit = 50, cursor, ...args }) => {
    const reply = await api({ method: 'GET', path: apiPath`/workspaces/${await workspace(args.workspace)}/templates` })
    const all = revisions(reply.result)
    const shown = key === undefined ? ownFirst(highest(all)) : all.filter(one => one.key === key)
    const from = cursor === undefined ? 0 : shown.findIndex(({ id }) => cursorOf(id) === cursor) + 1
    if (cursor !== undefined && from === 0) throw new ArgumentRefusal('cursor', 'The cursor is not of this list')
    const items = shown.slice(from, from + limit)
    const last = items.at(-1)
    const isLast = from + limit >= shown.length
    return { result: items, nextCursor: last === undefined || isLast ? null : cursorOf(last.id) }
  },
})

const kinds = tool({
  name: 'list_check_kinds',
  title: 'List kinds of checks',
  description: 'Kinds of checks, with the options of each. System Templates have them as fields.',
  arguments: {},
  required: [],
  result: 'array',
  needs: null,
  effect: 'reads',
  run: async ({ api }) => {
    const reply = await api({ method: 'GET', path: apiPath`/checks` })
    return { ...reply, result: withoutUnset(reply.result) }
  },
})

/** Returns the value without members that say nothing, because all kinds must fit into one answer. */
function withoutUnset(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUnset)
  if (typeof value !== 'object' || value === null) return value
  const said = Object.entries(value).filter(([, one]) => one !== null && one !== false && one !== '' && !isEmptyList(one))
  return Object.fromEntries(said.map(([key, one]) => [key, key === 'default' ? one : withoutUnset(one)]))
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

function revisions(result: unknown): Revision[] {
  if (Array.isArray(result)) return result
  throw new ApiUnreachable(null, 'the list of Templates is no list')
}

/** Returns the highest revision of each key. The versions of a key ascend in `all`, so the last one is kept. */
const highest = (all: readonly Revision[]): Revision[] => [...new Map(all.map(one => [one.key, one])).values()]

const isOfSystem = ({ system, rules = [] }: Revision): boolean =>
  system === true || rules.some(({ decision }) => decision === null)

/** The system's Templates have many fields, and would fill the first page. */
const ownFirst = (all: readonly Revision[]): Revision[] => [...all.filter(one => !isOfSystem(one)), ...all.filter(isOfSystem)]

/**
 * Returns the cursor after the item with this id. The API returns the whole list of Templates at once, so this tool makes its own cursors.
 */
const cursorOf = (id: string): string => Buffer.from(id).toString('base64url')

const publish = tool({
  name: 'publish_template',
  title: 'Publish a Template',
  description: 'Publishes one revision of a Template. A revision never changes: try it by preview_template before.',
  arguments: { workspace, manifest },
  required: ['manifest'],
  result: 'object',
  needs: 'templates',
  effect: 'changes',
  run: async ({ api, workspace }, { manifest, ...args }) =>
    api({ method: 'POST', path: apiPath`/workspaces/${await workspace(args.workspace)}/templates`, body: manifest }),
})

const preview = tool({
  name: 'preview_template',
  title: 'Preview a Template',
  description:
    'Judges Observations by the rules of a Template and stores nothing: would this rule, or another threshold, have fired, and when? Send manifest, or template with meta.',
  arguments: {
    workspace,
    manifest,
    template: templateReference,
    meta,
    observations: {
      type: 'array',
      maxItems: 500,
      description: 'In any order.',
      items: { type: 'object', properties: observation, required: ['signal', 'state', 'at'], additionalProperties: false },
    },
    at: { ...at, description: 'Judged up to this instant, so that waits can pass; the last Observation unless sent.' },
  },
  required: [],
  result: 'object',
  needs: null,
  effect: 'reads',
  run: async ({ api, workspace }, { workspace: named, ...body }) =>
    api({ method: 'POST', path: apiPath`/workspaces/${await workspace(named)}/templates/preview`, body }),
})

/** With one kind of check, there is no choice to look up. */
export const templateTools = [kinds, list, publish, preview]
