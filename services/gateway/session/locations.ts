// The places that probers check from: everybody signed in sees them, administrators change them. GET, POST /session/locations;
// PATCH, DELETE /session/locations/{id}.
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { LocationView } from '#shared/contracts/ask-people.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { demandAdmin } from './rights.ts'
import { type SessionContext, signedIn } from './session-call.ts'
import { bodyReader, FilledText, pathId, Text } from './session-fields.ts'

/** Null: none. */
const MaybeDisplayName = Type.Optional(Type.Union([Text, Type.Null()]))

export const NewLocation = Type.Object({ name: FilledText, display_name: MaybeDisplayName })
export const LocationChange = Type.Object({ name: Type.Optional(FilledText), display_name: MaybeDisplayName })

export function locationRoutes(fastify: FastifyInstance, context: SessionContext): void {
  const { directory } = context
  const readNew = bodyReader(NewLocation)
  const readChange = bodyReader(LocationChange)
  fastify.get(
    '/locations',
    signedIn(context, async ({ traceId }) => {
      return { locations: (await directory.ask('list-locations', {}, traceId)).map(locationObject) }
    }),
  )
  fastify.post(
    '/locations',
    signedIn(context, async call => {
      demandAdmin(call)
      const { name, display_name: displayName = null } = await readNew(call)
      const made = await directory.ask('create-location', { id: randomId(idLength.location), name, displayName }, call.traceId)
      void call.reply.code(201)
      return locationObject(made)
    }),
  )
  fastify.patch(
    '/locations/:locationId',
    signedIn(context, async call => {
      demandAdmin(call)
      const locationId = pathId(call.request, 'locationId')
      const { display_name: displayName, ...change } = await readChange(call)
      const named = displayName === undefined ? {} : { displayName }
      return locationObject(await directory.ask('update-location', { locationId, ...change, ...named }, call.traceId))
    }),
  )
  fastify.delete(
    '/locations/:locationId',
    signedIn(context, async call => {
      demandAdmin(call)
      await directory.ask('delete-location', { locationId: pathId(call.request, 'locationId') }, call.traceId)
    }),
  )
}

const locationObject = ({ id, name, displayName, activeWorkers }: LocationView) => ({
  id,
  name,
  display_name: displayName,
  active_workers_count: activeWorkers,
})
