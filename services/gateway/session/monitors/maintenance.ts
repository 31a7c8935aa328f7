// /session/subjects/{id}/maintenance: maintenance window of any subject, including website monitors (reference/website-monitors 1.2).
// Bodies and results have the same form as in generation 2 (reference/custom-subjects 5). Only editors and owners may use this route.

import { fieldReader } from '../../body/fields.ts'
import type { Route } from '../../http/route.ts'
import { commandId } from '../../subjects/command-id.ts'
import { readEndsAt, Window, WindowBody, windowObject } from '../../v2/subjects/window.ts'
import { editor, route } from '../caller/session-route.ts'
import { findSubject, subjectQuery } from './subjects.ts'

const path = '/subjects/:subjectId/maintenance'
const reader = fieldReader(WindowBody)

const startMaintenance = route('POST', path, {
  summary: 'Starts maintenance of a monitor or a custom subject now.',
  needs: editor,
  find: findSubject,
  query: subjectQuery,
  body: WindowBody,
  reader,
  status: 201,
  result: Window,
  refusals: ['conflict'],
  examples: [{ ends_at: '2099-12-31T22:00:00+01:00' }],
  handler: async ({ clock, keeper }, { found: subject, visitor, body, traceId }) => {
    const endsAt = readEndsAt(body, clock.now())
    const command = { kind: 'start-maintenance', id: commandId(), endsAt, by: visitor.displayName } as const
    return windowObject(subject, await keeper.send(subject.id, command, traceId), clock.now())
  },
})

const moveMaintenance = route('PATCH', path, {
  summary: 'Moves the end of the running window.',
  needs: editor,
  find: findSubject,
  query: subjectQuery,
  body: WindowBody,
  reader,
  result: Window,
  examples: [{ ends_at: '2099-12-31T23:00:00+01:00' }],
  handler: async ({ clock, keeper }, { found: subject, body, traceId }) => {
    const command = { kind: 'move-maintenance', id: commandId(), endsAt: readEndsAt(body, clock.now()) } as const
    return windowObject(subject, await keeper.send(subject.id, command, traceId), clock.now())
  },
})

const cancelMaintenance = route('DELETE', path, {
  summary: 'Ends the running window early.',
  needs: editor,
  find: findSubject,
  query: subjectQuery,
  result: Window,
  handler: async ({ clock, keeper }, { found: subject, traceId }) => {
    const command = { kind: 'cancel-maintenance', id: commandId() } as const
    return windowObject(subject, await keeper.send(subject.id, command, traceId), clock.now())
  },
})

export const maintenanceRoutes: readonly Route[] = [startMaintenance, moveMaintenance, cancelMaintenance]
