// Observations in the form of generations 2 and 3, over REST and as a command, and the ids of their rows.
import type { KeeperClient } from '#shared/bus/clients/clients.ts'
import type { SentObservation } from '#shared/contracts/resources/resource-commands.ts'
import { pushedObservationId, randomId } from '#shared/text/ids.ts'
import { observationRowId } from '../../../services/keeper/step/observations/observed-row.ts'
import type { CustomFleet, Generation, Report } from './fleet.ts'
import { patiently } from './seed.ts'

interface Sending {
  /** Returns the path and the body of a POST request with one report. `subject`: number of the subject in the fleet. */
  rest(fleet: CustomFleet, subject: number, report: Report): { path: string; body: object }
  /** Sends the reports to the subject's keeper in one command. Throws if the keeper does not accept one of the reports. */
  send(keeper: KeeperClient, subjectId: string, reports: Report[]): Promise<void>
  /** Returns the id of the row of a report without labels. */
  rowId(subjectId: string, signalKey: string, atUs: number): string
  /** SQL condition for rows of `pushedObservations` from this generation. */
  isOwnRow: string
}

const generation2: Sending = {
  rest: ({ workspaceId, slugs }, subject, { signal, observedAtUs, ...report }) => ({
    path: `/api/v2/subjects/${slugs[subject]}/signals/${signal}/observations?workspace_id=${workspaceId}`,
    body: { ...report, observed_at: timestamp(observedAtUs as number) },
  }),
  send: async (keeper, subjectId, reports) => {
    const [only] = reports
    if (reports.length === 1 && only !== undefined) {
      const command = { kind: 'report-observation', id: randomId(20), ...only } as const
      const { accepted, rejectReason } = await patiently(() => keeper.send(subjectId, command))
      if (!accepted) throw new Error(`An observation was not accepted: ${rejectReason}.`)
      return
    }
    const command = { kind: 'report-observations', id: randomId(20), observations: reports } as const
    const { results } = await patiently(() => keeper.send(subjectId, command))
    if (results.some(result => !result.ok || !result.observation.accepted)) throw new Error('An observation was not accepted.')
  },
  rowId: (subjectId, signalKey, atUs) => pushedObservationId(subjectId, signalKey, {}, atUs),
  isOwnRow: 'source IS NULL',
}

/** Reports of generation 3: the sender gives each report an id. */
const generation3: Sending = {
  rest: ({ workspaceId, slugs }, subject, report) => ({
    path: `/api/v3/workspaces/${workspaceId}/resources/${slugs[subject]}/observations`,
    body: bodyOf(report),
  }),
  send: async (keeper, subjectId, reports) => {
    const command = { kind: 'observe', id: randomId(20), observations: reports.map(sentOf) } as const
    const { results } = await patiently(() => keeper.send(subjectId, command))
    if (results.some(result => !result.ok)) throw new Error(`An Observation was refused: ${JSON.stringify(results)}`)
  },
  rowId: (subjectId, signalKey, atUs) =>
    observationRowId(subjectId, signalKey, { sentId: `${atUs}`, labels: {}, atUs, isStampedHere: false }),
  isOwnRow: 'source IS NOT NULL',
}

export const generations: Record<Generation, Sending> = { 2: generation2, 3: generation3 }

const sentOf = ({ signal, status, observedAtUs, value, error, labels }: Report): SentObservation => ({
  signal,
  state: status,
  signalKind: null,
  sentId: `${observedAtUs}`,
  atUs: observedAtUs,
  value,
  reason: error,
  labels,
  body: null,
})

/** Returns a body for the route that takes one report. An item of a batch has the same members and `resource`. */
export const bodyOf = ({ signal, status, observedAtUs, value, error, labels }: Report) => ({
  signal,
  state: status,
  id: `${observedAtUs}`,
  at: timestamp(observedAtUs as number),
  value,
  reason: error,
  labels,
})

/** Formats an instant by RFC 3339 with microseconds. */
const timestamp = (us: number): string =>
  `${new Date(Math.floor(us / 1_000)).toISOString().slice(0, -1)}${String(us % 1_000).padStart(3, '0')}Z`
