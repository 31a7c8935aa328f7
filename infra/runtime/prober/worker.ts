// Worker thread that runs the prober, with its own connection to the bus, clock, log and metrics. The thread ends after the message `stop`,
// or with its process.
import { parentPort, workerData } from 'node:worker_threads'
import { Registry } from 'prom-client'
import { connectBus } from '#shared/bus/nats/nats.ts'
import { limits } from '#shared/limits/limits.ts'
import { createEgress } from '#shared/net/egress.ts'
import { createOwnPorts } from '#shared/net/own-ports.ts'
import { createResolve } from '#shared/net/resolve.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { startProber } from '../../../services/prober/app.ts'
import { busCredentials } from '../bus/bus-credentials.ts'
import { collectNow, observeCollections } from '../collector-pace.ts'
import type { FromProber, ProberThreadData, ToProber } from './messages.ts'

const port = parentPort
if (port === null) throw new Error('Invariant broken: this module is a thread')
const { logLevel, bus: address, prober, egress } = workerData as ProberThreadData
const say = (message: FromProber) => port.postMessage(message)

const logger = createLogger(logLevel)
const clock = createSystemClock({ onDrift: driftMs => logger.warn({ driftMs }, 'clock and wall time differ') })
const metrics = new Registry()
const bus = await connectBus({
  servers: address.url,
  name: 'watchkeeper prober',
  ...busCredentials(address),
  patienceMs: limits.start.patienceMs,
  logger,
  declare: false,
})
const figures = () => metrics.getMetricsAsJSON()
const own = createOwnPorts(egress.own, { clock, resolve: createResolve({ clock }) })
const service = await startProber({ bus, clock, logger, metrics }, { ...prober, egress: createEgress({ ...egress, own }) })

const sayState = () => say({ kind: 'state', unready: service.unready() })
const stopObserving = observeCollections(at => say({ kind: 'collected', at }))
const stopListening = bus.onConnection(sayState)

async function stop(): Promise<void> {
  stopListening()
  stopObserving()
  await service.stop()
  await own.stop()
  await bus.close()
  clock.stop()
  say({ kind: 'stopped', metrics: await figures() })
  port?.close()
}

port.on('message', async (message: ToProber) => {
  if (message.kind === 'collect') collectNow()
  else if (message.kind === 'metrics') say({ kind: 'metrics', metrics: await figures() })
  else await stop()
})
sayState()
