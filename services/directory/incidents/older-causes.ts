// Causes of incidents that were stored before causes were. The last evidence of a recovered incident no longer names what failed; its first
// record still does.
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import { isOfLocations } from '#shared/incidents/incident-record.ts'
import { causeOf, storedCause } from '#shared/judging/incident-cause.ts'
import type { Store } from '#shared/store/port.ts'

/** Returns the incidents in the same order. Each has a cause, as far as its last evidence or its first record names one. */
export async function withOlderCauses(store: Store, incidents: readonly IncidentDocument[]): Promise<IncidentDocument[]> {
  const older = incidents.filter(one => one.cause === undefined && storedCause(one, isOfLocations(one.ruleKey)) === null)
  if (older.length === 0) return [...incidents]
  const records = await store.get(
    'history',
    older.map(({ id }) => `${id}.1`),
  )
  const first = new Map(records.flatMap(record => (record === null ? [] : [[record.incidentId, record] as const])))
  return incidents.map(incident => {
    const record = first.get(incident.id)
    if (record?.evidence == null) return incident
    const { condition: verdict, explanation, evidence } = record
    return { ...incident, cause: causeOf({ verdict, explanation, evidence }, isOfLocations(incident.ruleKey)) }
  })
}
