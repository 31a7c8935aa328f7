// Overview of a workspace, counted from columns of its subjects and from its open Incidents. Reference: docs/reference/v3.md, 9.7.
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import { type ByStanding, type RuleOverview, type Standing, standings } from '#shared/contracts/subjects/overview.ts'
import { facetsWithin } from '#shared/incidents/incident-facets.ts'
import { incidentRecord } from '#shared/incidents/incident-record.ts'
import { limits } from '#shared/limits/limits.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query, Store } from '#shared/store/port.ts'
import type { AskAnswerer } from '../context.ts'
import { namesOf } from '../incidents/incident-resources.ts'

const bounds = limits.overview

export const getOverview: AskAnswerer<'get-overview'> = async ({ store }, { workspaceId }) => {
  const found = await readOpen(store, workspaceId)
  const active = await store.count('subjects', { workspaceId, archivedAt: null, deletedAt: null })
  const archived = await store.count('subjects', { workspaceId, archivedAt: { gte: 0 }, deletedAt: null })
  const worst = worstBySubject(found.open)
  const rules = rulesOf(found.open)
  return {
    resources: { ...countStandings(worst.values()), active, archived, clear: Math.max(0, active - worst.size) },
    open: found.isWhole ? found.open.length : await countOpen(store, workspaceId, null),
    unacknowledged: found.isWhole ? found.open.filter(isFree).length : await countOpen(store, workspaceId, false),
    counted: found.open.length,
    rules: rules.slice(0, bounds.rules),
    rulesOmitted: Math.max(0, rules.length - bounds.rules),
    oldest: found.open.slice(0, bounds.oldest).map(({ incident, subject }) => incidentRecord(incident, subject)),
  }
}

interface Open {
  incident: IncidentDocument
  subject: { id: string; slug: string; name: string }
}

/** Returns open Incidents, oldest first, without those of deleted subjects. `isWhole`: all open Incidents were read. */
async function readOpen(store: Store, workspaceId: string): Promise<{ open: Open[]; isWhole: boolean }> {
  const open: Open[] = []
  let read = 0
  const query: Query = { where: { workspaceId, open: 1 }, sort: [['troubleSince', 'asc']], limit: bounds.perRead }
  for await (const page of pagesOf(query, next => store.find('incidents', next))) {
    if (page.length === 0) break
    const ids = page.map(({ subjectId }) => subjectId)
    const subjects = await namesOf(store, ids)
    for (const incident of page) {
      const subject = subjects.get(incident.subjectId)
      if (subject !== undefined) open.push({ incident, subject })
    }
    read += bounds.perRead
    if (page.length === bounds.perRead && read >= bounds.counted) return { open, isWhole: false }
  }
  return { open, isWhole: true }
}

const countOpen = (store: Store, workspaceId: string, isAcknowledged: boolean | null): Promise<number> =>
  store.count('incidents', { workspaceId, facets: { in: facetsWithin({ isOpen: true, isConfirmed: null, isAcknowledged }) } })

const isFree = ({ incident }: Open): boolean => incident.acknowledgedAt === null

const names: Record<IncidentDocument['status'], Standing> = {
  pending: 'unconfirmed',
  problem: 'problem',
  no_data: 'no_data',
  recovering: 'recovering',
  // Needed only for the type: no open Incident has the status `ok`, and closed Incidents are not read here.
  ok: 'recovering',
}

const standingOf = ({ incident }: Open): Standing => names[incident.status]

function worstBySubject(open: readonly Open[]): Map<string, Standing> {
  const worst = new Map<string, Standing>()
  for (const one of open) {
    const standing = standingOf(one)
    const known = worst.get(one.subject.id)
    if (known === undefined || standings.indexOf(standing) < standings.indexOf(known)) worst.set(one.subject.id, standing)
  }
  return worst
}

function countStandings(all: Iterable<Standing>): ByStanding {
  const counts: ByStanding = { problem: 0, no_data: 0, unconfirmed: 0, recovering: 0 }
  for (const standing of all) counts[standing]++
  return counts
}

function rulesOf(open: readonly Open[]): RuleOverview[] {
  return [...Map.groupBy(open, ({ incident }) => incident.ruleShown)]
    .map(([rule, ones]) => ({
      rule,
      open: ones.length,
      unacknowledged: ones.filter(isFree).length,
      ...countStandings(ones.map(standingOf)),
    }))
    .sort((one, other) => other.open - one.open || (one.rule < other.rule ? -1 : 1))
}
