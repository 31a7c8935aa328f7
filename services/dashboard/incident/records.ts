// Records of one incident in the browser, in the order in which its machine accepted the events. They are read page by page; later records
// are read after an event of the stream.
import { type ReadonlySignal, signal } from '@preact/signals'
import type { IncidentRecordObject, IncidentRecordsPage } from '#shared/contracts/session/session-incidents.ts'

export interface Records {
  all: ReadonlySignal<readonly IncidentRecordObject[]>
  /** The latest response; null before the first response. */
  latest: ReadonlySignal<IncidentRecordsPage | null>
  /** Names of the locations in the evidence, by id. */
  locations: ReadonlySignal<Readonly<Record<string, string>>>
  failure: ReadonlySignal<unknown>
  /** Reads the records that follow the last record read so far. Never rejects. A call during a read waits for the running read. */
  readOn(): Promise<void>
}

type ReadPage = (after: number) => Promise<IncidentRecordsPage>

export function createRecords(readPage: ReadPage): Records {
  const all = signal<readonly IncidentRecordObject[]>([])
  const latest = signal<IncidentRecordsPage | null>(null)
  const locations = signal<Readonly<Record<string, string>>>({})
  const failure = signal<unknown>(null)
  let running: Promise<void> | null = null

  const readAll = async () => {
    try {
      for (let more = true; more; ) {
        const page = await readPage(all.peek().at(-1)?.sequence ?? 0)
        const known = all.peek().at(-1)?.sequence ?? 0
        all.value = [...all.peek(), ...page.records.filter(({ sequence }) => sequence > known)]
        latest.value = page
        locations.value = { ...locations.peek(), ...page.locations }
        failure.value = null
        more = page.more
      }
    } catch (error) {
      failure.value = error
    }
  }
  let isAskedAgain = false
  const readOn = async () => {
    if (running !== null) {
      isAskedAgain = true
      return running
    }
    do {
      isAskedAgain = false
      running = readAll()
      await running
    } while (isAskedAgain)
    running = null
  }
  return { all, latest, locations, failure, readOn }
}
