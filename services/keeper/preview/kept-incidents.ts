// Incidents of a preview, collected from the outboxes of its steps. Bounded: the oldest incidents and entries are dropped and counted.
import type { HistoryDocument, IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { PreviewEntry, PreviewEvidence, PreviewIncident } from '#shared/contracts/resources/preview.ts'
import type { OutboxEntry } from '#shared/contracts/subjects/subject.ts'
import type { Evidence } from '#shared/contracts/subjects/verdict.ts'
import { type HistoryEntry, historyEntry } from '#shared/incidents/incident-history.ts'

interface KeptIncident {
  document: IncidentDocument | null
  history: HistoryEntry[]
  /** Bytes of each entry of `history`. */
  sizes: number[]
  omitted: number
}

/** Bytes of an incident without its history. */
const incidentBytes = 200
/** Bytes of an entry without its texts. `inputBytes`: bytes of a reading without its reason, including `counted` and `baseline`. */
const entryBytes = 200
const inputBytes = 300
/** Largest number of reasons whose byte counts are cached: reasons of Observations, and the words for silence. */
const reasonsMax = 1_000

/** Incidents of one rule, which has at most one open incident at a time. */
export class KeptIncidents {
  readonly #bytesMax: number
  readonly #incidents = new Map<string, KeptIncident>()
  readonly #reasons = new Map<string, number>()
  #bytes = 0
  #omitted = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  note(entry: OutboxEntry): void {
    if (entry.mode === 'insert' && entry.collection === 'history') this.#record(entry.document)
    if (entry.mode === 'advance' && entry.collection === 'incidents') this.#incident(entry.document.id).document = entry.document
    while (this.#bytes > this.#bytesMax) this.#dropOldest()
  }

  get omitted(): number {
    return this.#omitted
  }

  incidents(): PreviewIncident[] {
    return [...this.#incidents.values()].flatMap(({ document, history, omitted }) => {
      if (document === null) return []
      const { troubleSince: openedAt, confirmedAt, closedAt, closedReason } = document
      return [{ openedAt, confirmedAt, closedAt, closedReason, history: history.map(previewEntry), historyOmitted: omitted }]
    })
  }

  #incident(id: string): KeptIncident {
    const known = this.#incidents.get(id)
    if (known !== undefined) return known
    const incident: KeptIncident = { document: null, history: [], sizes: [], omitted: 0 }
    this.#incidents.set(id, incident)
    this.#bytes += incidentBytes
    return incident
  }

  #record(record: HistoryDocument): void {
    const incident = this.#incident(record.incidentId)
    if (record.listed === 0) return
    const added = historyEntry(record)
    const bytes = this.#bytesOf(added)
    incident.history.push(added)
    incident.sizes.push(bytes)
    this.#bytes += bytes
  }

  /** Returns an estimated upper bound of the bytes of an entry's JSON, because making the JSON would take longer than judging. */
  #bytesOf({ explanation, evidence }: HistoryEntry): number {
    let bytes = entryBytes + explanation.length
    for (const { input, reason } of evidence?.inputs ?? []) bytes += inputBytes + input.length + this.#bytesOfReason(reason ?? '')
    return bytes
  }

  #bytesOfReason(reason: string): number {
    const known = this.#reasons.get(reason)
    if (known !== undefined) return known
    const bytes = Buffer.byteLength(JSON.stringify(reason))
    if (this.#reasons.size < reasonsMax) this.#reasons.set(reason, bytes)
    return bytes
  }

  /** Drops the oldest entry of the oldest incident, or the incident if it has no entries left. */
  #dropOldest(): void {
    const [[id, oldest] = []] = this.#incidents
    if (id === undefined || oldest === undefined) return
    if (oldest.history.length === 0) {
      this.#incidents.delete(id)
      this.#bytes -= incidentBytes
      this.#omitted += 1
      return
    }
    oldest.history.shift()
    this.#bytes -= oldest.sizes.shift() ?? 0
    oldest.omitted += 1
  }
}

const previewEntry = ({ at, kind, condition, explanation, evidence }: HistoryEntry): PreviewEntry => ({
  at,
  kind,
  condition,
  explanation,
  evidence: evidence && previewEvidence(evidence),
})

/** Returns the evidence in the preview's form. A Template's rule has one reading for each comparison. */
export function previewEvidence({ inputs, omitted, truncated }: Evidence): PreviewEvidence {
  return { inputs: inputs.flatMap(({ reading }) => (reading === undefined ? [] : [reading])), omitted, truncated }
}
