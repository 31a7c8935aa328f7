// Records of an incident over the bus, for commands on the installation's machine. The API does not return records.
import { allPages } from '#shared/async/pages.ts'
import type { HeldIncident, IncidentView } from '#shared/contracts/ask/ask-subjects.ts'
import type { HistoryDocument, IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import { StartError } from '../../runtime/start-error.ts'
import type { Ask } from '../installation/running-installation.ts'
import { type Kind, pick } from '../pick.ts'

const incidents: Kind<IncidentView> = {
  noun: 'incident',
  plural: 'open incidents',
  lists: './watchkeeper incident list',
  id: incident => incident.publicId,
  name: incident => incident.subjectName,
}

/**
 * Returns the id of an incident. `named`: id of the incident, or the subject of an open incident. Throws a StartError if no incident or
 * several incidents fit.
 */
export async function findIncident(ask: Ask, named: string): Promise<string> {
  const looksLikeId = /^[0-9A-Za-z.]{8,64}$/.test(named)
  const first = looksLikeId ? await ask('get-incident-records', { id: named, afterSequence: 0 }) : null
  // A damaged incident counts as existing: a later read of its records reports the damage.
  const isId = first !== null && (first.incident !== null || first.unreadable !== null)
  return isId ? named : pick(await openIncidents(ask), named, incidents).id
}

async function openIncidents(ask: Ask): Promise<IncidentView[]> {
  const open: IncidentView[] = []
  for (const { id: workspaceId } of await allPages(after => ask('list-all-workspaces', { after }))) {
    open.push(...(await allPages(after => ask('list-open-incidents', { workspaceId, after }))))
  }
  return open
}

export interface Records {
  incident: IncidentDocument
  history: HistoryDocument[]
  held: HeldIncident | null
}

/** Returns the records with a sequence above `after`, oldest first; null: no such incident. Throws a StartError for a damaged record. */
export async function readRecords(ask: Ask, id: string, after = 0): Promise<Records | null> {
  const history: HistoryDocument[] = []
  for (;;) {
    const page = await ask('get-incident-records', { id, afterSequence: history.at(-1)?.sequence ?? after })
    if (page.unreadable) {
      throw new StartError(`The record ${page.unreadable} is damaged and can't be read: restore the store from a backup.`)
    }
    if (page.incident === null) return null
    history.push(...page.history)
    if (!page.more) return { incident: page.incident, history, held: page.held }
  }
}
