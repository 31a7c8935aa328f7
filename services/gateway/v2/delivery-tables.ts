// The delivery tables of custom subjects and of website monitors (spec D 2, Delivery table): the same table, found in two ways. Any
// member reads it, because it holds no URL.
import type { FastifyInstance } from 'fastify'
import { type Static, type TObjectOptions, Type } from 'typebox'
import type { TableKind as AlertKind } from '#shared/contracts/alert.ts'
import type { DeliveryTableView } from '#shared/contracts/ask-notifications.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits.ts'
import { requireEditor } from '../access.ts'
import { answering, type Call } from '../answer.ts'
import type { GatewayContext } from '../context.ts'
import { Needed, required, shapeReader } from '../fields.ts'
import { readObject } from '../json-body.ts'
import { findWebsite } from '../website/routes.ts'
import { findCustomSubject } from './subjects/find-subject.ts'
import { websiteMonitors } from './websites.ts'

const kinds: readonly string[] = ['problem', 'no_data', 'recovery'] satisfies AlertKind[]

const TableBody = (options: TObjectOptions) =>
  Type.Object(
    {
      selections: Needed(
        Type.Array(
          Type.Object(
            {
              destination_id: Needed(Type.Number({ multipleOf: 1 })),
              alert_kinds: Needed(Type.Array(Type.Enum(['problem', 'no_data', 'recovery']), { minItems: 1 })),
            },
            options,
          ),
          { maxItems: limits.destination.perWorkspace, description: 'All rows; none: the workspace default is told again.' },
        ),
      ),
    },
    options,
  )

/** Unknown fields are refused under /v2/subjects, and ignored of websites (spec D 1, Validation). */
export const SubjectTableBody = TableBody({ additionalProperties: false })
export const WebsiteTableBody = TableBody({})

type Body = Static<typeof SubjectTableBody>

/** Whose table it is, and what its clients call it. */
interface Owner {
  workspaceId: string
  subjectId: string
  publicId: string
}

interface Family {
  path: string
  find(context: GatewayContext, call: Call): Promise<Owner>
  read(body: Record<string, unknown>): Body
}

const ofSubjects: Family = {
  path: '/subjects/:subject/delivery',
  find: async (context, call) => {
    const { workspaceId, id, slug } = await findCustomSubject(context, call)
    return { workspaceId, subjectId: id, publicId: slug }
  },
  read: shapeReader(SubjectTableBody),
}

const ofWebsites: Family = {
  path: '/monitoring/websites/:id/delivery',
  find: async (context, call) => {
    const { workspaceId, id } = await findWebsite({ context, family: websiteMonitors, call })
    return { workspaceId, subjectId: id, publicId: id }
  },
  read: shapeReader(WebsiteTableBody),
}

export function deliveryTableRoutes(fastify: FastifyInstance, context: GatewayContext): void {
  for (const family of [ofSubjects, ofWebsites]) {
    const handled = (handler: (context: GatewayContext, family: Family, call: Call) => Promise<unknown>) =>
      answering(context.clock, call => handler(context, family, call))
    fastify.get(family.path, handled(getTable))
    fastify.post(family.path, handled(replaceTable))
    fastify.delete(family.path, handled(clearTable))
  }
}

async function getTable(context: GatewayContext, family: Family, call: Call) {
  const owner = await family.find(context, call)
  const { workspaceId, subjectId } = owner
  return tableObject(owner, await context.directory.ask('get-delivery-table', { workspaceId, subjectId }, call.traceId))
}

async function replaceTable(context: GatewayContext, family: Family, call: Call) {
  const owner = await family.find(context, call)
  requireEditor(call.request.identity, owner.workspaceId)
  const selections = readSelections(family.read(await readObject(call.request, call.reply)))
  return putTable(context, owner, selections, call.traceId)
}

async function clearTable(context: GatewayContext, family: Family, call: Call) {
  const owner = await family.find(context, call)
  requireEditor(call.request.identity, owner.workspaceId)
  return putTable(context, owner, [], call.traceId)
}

interface Row {
  number: number
  alertKinds: AlertKind[]
}

async function putTable({ directory }: GatewayContext, owner: Owner, selections: Row[], traceId: string) {
  const { workspaceId, subjectId } = owner
  return tableObject(owner, await directory.ask('put-delivery-table', { workspaceId, subjectId, selections }, traceId))
}

function readSelections(sent: Body): Row[] {
  const rows = required(sent.selections, 'selections').map((row, i): Row => {
    const number = required(row.destination_id, `selections[${i}].destination_id`)
    return { number, alertKinds: readKinds(row.alert_kinds ?? []) }
  })
  const numbers = new Set<number>()
  for (const { number } of rows) {
    if (numbers.has(number)) throw invalid('Duplicate destination', `Destination ${number} is selected more than once`)
    numbers.add(number)
  }
  // A workspace has no more destinations than this, so that one of so many different ones does not exist.
  if (rows.length > limits.destination.perWorkspace || ![...numbers].every(Number.isSafeInteger)) {
    throw new AppError('not_found', 'Destination not found', { details: 'The workspace has no such destination' })
  }
  return rows
}

/** Each kind once, in the order in which they were sent. */
function readKinds(sent: readonly string[]): AlertKind[] {
  if (sent.length === 0) throw invalid('No alert kinds', `alert_kinds must hold at least one of ${kinds.join(', ')}`)
  if (!sent.every(kind => kinds.includes(kind))) throw invalid('Invalid alert kind', `alert_kinds holds ${kinds.join(', ')} only`)
  return [...new Set(sent)] as AlertKind[]
}

const invalid = (message: string, details: string): AppError => new AppError('validation', message, { details })

function tableObject({ workspaceId, publicId }: Owner, { selections, defaultNumber }: DeliveryTableView) {
  return {
    subject_id: publicId,
    selections: selections.map(({ number, name, alertKinds }) => ({
      destination_id: number,
      destination_name: name,
      alert_kinds: alertKinds,
    })),
    default_destination_id: defaultNumber,
    fallback: selections.length > 0 ? '' : defaultNumber === null ? 'silence' : 'workspace_default',
    workspace_id: workspaceId,
    kind: 'subject_alert_delivery',
  }
}
