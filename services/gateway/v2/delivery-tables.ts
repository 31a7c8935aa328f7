// Delivery tables of custom subjects and of website monitors (reference/messages 4): the form of the table is the same for both kinds of
// subjects, and only the paths differ. Every member may read a table, because a table contains no URL.

import { type Static, type TObjectOptions, Type } from 'typebox'
import type { DeliveryTableView } from '#shared/contracts/ask/ask-notifications.ts'
import { Strict } from '#shared/contracts/common.ts'
import type { TableKind } from '#shared/contracts/incidents/alert.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { marks } from '../body/field-values.ts'
import { Answered, Kind, OrNull, writerOf } from '../body/result-schema.ts'
import type { GatewayContext } from '../context.ts'
import type { Route } from '../http/route.ts'
import { findWebsite } from '../website/routes.ts'
import { type ClassicCall, type ClassicRefusal, editor, member, route } from './classic-route.ts'
import { AlertKind } from './notification-fields.ts'
import { accessDenied, invalid } from './refusals.ts'
import { findCustomSubject, ofSubject, subjectQuery } from './subjects/find-subject.ts'
import { ofWebsite, websiteMonitors } from './websites.ts'

const kinds = ['problem', 'no_data', 'recovery'] as const satisfies TableKind[]
const none = { message: 'No alert kinds', details: `alert_kinds must hold at least one of ${kinds.join(', ')}` }
const unknown = { message: 'Invalid alert kind', details: `alert_kinds holds ${kinds.join(', ')} only` }

const AlertKinds = Type.Array(Type.Enum(kinds, marks({ refusal: unknown })), {
  minItems: 1,
  ...marks({ missing: none, refusal: none }),
})

/** Unknown fields are refused under /v2/subjects and ignored for websites (reference/envelope 5.4). */
const TableBody = (options: TObjectOptions) =>
  Type.Object(
    {
      selections: Type.Array(Type.Object({ destination_id: Type.Number({ multipleOf: 1 }), alert_kinds: AlertKinds }, options), {
        maxItems: limits.destination.perWorkspace,
        description: 'All rows; none: the workspace default is told again.',
      }),
    },
    options,
  )

type Body = Static<ReturnType<typeof TableBody>>

const TableRow = Strict({ destination_id: Type.Integer(), destination_name: Type.String(), alert_kinds: Type.Array(AlertKind) })
const Table = Answered('SubjectAlertDelivery', {
  subject_id: Type.String(),
  selections: Type.Array(TableRow),
  default_destination_id: OrNull(Type.Integer()),
  fallback: Type.Enum(['workspace_default', 'silence', '']),
  workspace_id: Type.String(),
  kind: Kind('subject_alert_delivery'),
})

const writeRow = writerOf(TableRow)
const writeTable = writerOf(Table)

const ofRows: readonly ClassicRefusal[] = [
  ...([invalid, '2001 Invalid alert kind', '2001 No alert kinds', '2001 Duplicate destination'] as const),
  '2002 Destination not found',
]

/** Subject to which the table belongs. `publicId`: id of the subject in responses. */
interface Owner {
  workspaceId: string
  subjectId: string
  publicId: string
}

interface Family extends Pick<Route, 'path' | 'query'> {
  body: ReturnType<typeof TableBody>
  refusals: readonly ClassicRefusal[]
  ofWriters: readonly ClassicRefusal[]
  find(context: GatewayContext, call: ClassicCall): Promise<Owner>
}

const ofSubjects: Family = {
  path: '/subjects/:subject/delivery',
  query: subjectQuery,
  body: TableBody({ additionalProperties: false }),
  refusals: ofSubject,
  ofWriters: [],
  find: async (context, call) => {
    const { workspaceId, id, slug } = await findCustomSubject(context, call)
    return { workspaceId, subjectId: id, publicId: slug }
  },
}

const ofWebsites: Family = {
  path: '/monitoring/websites/:id/delivery',
  body: TableBody({}),
  refusals: ofWebsite,
  ofWriters: [accessDenied],
  find: async (context, call) => {
    const { workspaceId, id } = await findWebsite({ context, family: websiteMonitors, call })
    return { workspaceId, subjectId: id, publicId: id }
  },
}

export const deliveryTableRoutes: readonly Route[] = [ofSubjects, ofWebsites].flatMap(tableRoutes)

function tableRoutes({ path, body, query, refusals, ofWriters, find }: Family): Route[] {
  const shared = { find, result: Table, ...(query === undefined ? {} : { query }) }
  return [
    route('GET', path, {
      ...shared,
      summary: 'Which destinations are told, and about what.',
      needs: member,
      refusals,
      handler: async ({ directory }, { found: owner, traceId }) => {
        const { workspaceId, subjectId } = owner
        return tableObject(owner, await directory.ask('get-delivery-table', { workspaceId, subjectId }, traceId))
      },
    }),
    route('POST', path, {
      ...shared,
      summary: 'Replaces all rows; none: the workspace default is told again.',
      needs: editor,
      body,
      refusals: [...ofRows, ...ofWriters, ...refusals],
      examples: [{ selections: [{ destination_id: 1, alert_kinds: ['problem', 'recovery'] }] }],
      handler: (context, { found, body, traceId }) => putTable(context, found, readSelections(body), traceId),
    }),
    route('DELETE', path, {
      ...shared,
      summary: 'Removes all rows: the workspace default is told again.',
      needs: editor,
      refusals: [...ofWriters, ...refusals],
      handler: (context, { found, traceId }) => putTable(context, found, [], traceId),
    }),
  ]
}

interface Row {
  number: number
  alertKinds: TableKind[]
}

async function putTable({ directory }: GatewayContext, owner: Owner, selections: Row[], traceId: string) {
  const { workspaceId, subjectId } = owner
  return tableObject(owner, await directory.ask('put-delivery-table', { workspaceId, subjectId, selections }, traceId))
}

/** Returns the rows of the table. A row contains no kind of message twice. The kinds stay in the order in which they were sent. */
function readSelections({ selections }: Body): Row[] {
  const rows = selections.map(row => ({ number: row.destination_id, alertKinds: [...new Set(row.alert_kinds)] }))
  const numbers = new Set<number>()
  for (const { number } of rows) {
    if (numbers.has(number)) {
      const details = `Destination ${number} is selected more than once`
      throw refusal('validation', 'Duplicate destination', details)
    }
    numbers.add(number)
  }
  // A workspace has at most `perWorkspace` destinations. So a longer list of different destinations contains an unknown destination.
  if (rows.length > limits.destination.perWorkspace || ![...numbers].every(Number.isSafeInteger)) {
    throw refusal('not_found', 'Destination not found', 'The workspace has no such destination')
  }
  return rows
}

function tableObject({ workspaceId, publicId }: Owner, { selections, defaultNumber, fallback }: DeliveryTableView) {
  const rows = selections.map(({ number, name, alertKinds }) =>
    writeRow({ destinationId: number, destinationName: name, alertKinds }),
  )
  return writeTable({ subjectId: publicId, selections: rows, defaultDestinationId: defaultNumber, fallback, workspaceId })
}
