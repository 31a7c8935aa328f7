// `./watchkeeper incident inspect`: sends an incident's stored records, then each later record, to a receiver of the Stately inspection
// protocol on this machine.
import { once } from 'node:events'
import { inspectionOf } from '#machines/incident-inspection.ts'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { News } from '#shared/contracts/news.ts'
import { exitCodes, StartError } from '../../runtime/start-error.ts'
import { type Ask, withBus } from '../installation/running-installation.ts'
import { onEndingSignals } from '../terminal/ending-signals.ts'
import { warn } from '../terminal/printing.ts'
import { findIncident, readRecords } from './incident-records.ts'
import { type InspectionServer, openInspectionServer } from './inspection-server.ts'

export interface InspectOptions {
  port: number
}

/** Serves until a signal ends the command. Throws a StartError if the incident is unknown or the port is in use. */
export async function inspect(named: string, { port }: InspectOptions): Promise<void> {
  const enough = new AbortController()
  const end = () => enough.abort()
  onEndingSignals({ signals: ['SIGTERM', 'SIGINT'], first: end, again: end })
  await withBus(async (bus, clock, progress) => {
    const directory = createDirectoryClient(bus, clock)
    const ask: Ask = (verb, request) => directory.ask(verb, request)
    const id = await findIncident(ask, named)
    const server = await openInspectionServer(port).catch(error => {
      throw new StartError(`Port ${port} can't be used (${(error as NodeJS.ErrnoException).code}): choose another --port.`)
    })
    try {
      const sender = createSender(ask, id, server)
      const { workspaceId, subjectId } = await sender.sendNew()
      await bus.subscribe(subjects.state(workspaceId, subjectId), ({ body }) => {
        if ((body as News).kind === 'transition') sender.sendNew().catch(warnOfRead)
      })
      // Reads the records again, because the incident may have changed between the first read and the subscription.
      await sender.sendNew()
      progress.end()
      console.log(server.url)
      console.error('Open this address in a receiver of the inspection protocol. Ctrl-C ends it.')
      if (!enough.signal.aborted) await once(enough.signal, 'abort')
    } finally {
      await server.close()
    }
  })
}

/** Sends each record once, in order. Only one read runs at a time. */
function createSender(ask: Ask, id: string, server: InspectionServer) {
  let after = 0
  let running: Promise<unknown> = Promise.resolve()
  const read = async () => {
    const records = await readRecords(ask, id, after)
    if (records === null) throw new StartError(`The incident ${id} is gone.`, exitCodes.notFound)
    server.send(inspectionOf(id, records.history))
    after = records.history.at(-1)?.sequence ?? after
    return records.incident
  }
  return {
    sendNew: () => {
      const next = running.then(read)
      running = next.catch(() => undefined)
      return next
    },
  }
}

const warnOfRead = (error: Error) => warn(`New records could not be read: ${error.message}`)
