// /v2/subjects/{subject}/maintenance: start, move, cancel and read the running maintenance window (reference/custom-subjects 5).

import { OrNull } from '../../body/result-schema.ts'
import type { Route } from '../../http/route.ts'
import { commandId } from '../../subjects/command-id.ts'
import type { ClassicRefusal } from '../classic-route.ts'
import { subjectReadRoute, subjectWriteRoute } from './find-subject.ts'
import { readEndsAt, Window, WindowBody, windowObject } from './window.ts'

const path = '/subjects/:subject/maintenance'
const badEnd: ClassicRefusal = '2001 invalid observed_at'
const noWindow: ClassicRefusal = '2002 No maintenance window'

/** Returns the running window; null: no window is running (reference/custom-subjects 5.1). */
const getMaintenance = subjectReadRoute('GET', path, {
  summary: 'The running maintenance window; null while none runs.',
  result: OrNull(Window),
  handler: async ({ clock }, { found: subject }) => {
    const now = clock.now()
    const { maintenance } = subject
    return maintenance !== null && maintenance.endsAt > now ? windowObject(subject, maintenance, now) : null
  },
})

const startMaintenance = subjectWriteRoute('POST', path, {
  summary: 'Starts maintenance now: problems and no data wait, recoveries are told.',
  body: WindowBody,
  result: Window,
  refusals: [badEnd, '2004 Already in maintenance'],
  examples: [{ ends_at: '2099-12-31T22:00:00+01:00' }],
  handler: async ({ clock, keeper }, { request, found: subject, body, traceId }) => {
    const endsAt = readEndsAt(body, clock.now())
    const by = request.identity.displayName
    const command = { kind: 'start-maintenance', id: commandId(), endsAt, by } as const
    return windowObject(subject, await keeper.send(subject.id, command, traceId), clock.now())
  },
})

/** Changes the end of the running window. The window keeps its start. */
const moveMaintenance = subjectWriteRoute('POST', `${path}/ends_at`, {
  summary: 'Moves the end of the running window.',
  body: WindowBody,
  result: Window,
  refusals: [badEnd, noWindow],
  examples: [{ ends_at: '2099-12-31T23:00:00+01:00' }],
  handler: async ({ clock, keeper }, { found: subject, body, traceId }) => {
    const command = { kind: 'move-maintenance', id: commandId(), endsAt: readEndsAt(body, clock.now()) } as const
    return windowObject(subject, await keeper.send(subject.id, command, traceId), clock.now())
  },
})

const cancelMaintenance = subjectWriteRoute('DELETE', path, {
  summary: 'Ends the running window early.',
  result: Window,
  refusals: [noWindow],
  handler: async ({ clock, keeper }, { found: subject, traceId }) => {
    const command = { kind: 'cancel-maintenance', id: commandId() } as const
    return windowObject(subject, await keeper.send(subject.id, command, traceId), clock.now())
  },
})

export const maintenanceRoutes: readonly Route[] = [getMaintenance, startMaintenance, moveMaintenance, cancelMaintenance]
