// Gathers the facts of an installation, running or stopped. Changes nothing but for files and a collection of its own, which it removes.
import { latestNumber, migrations } from '#shared/store/migrations/migrations.ts'
import { type Clock, wallOf } from '#shared/time/clock.ts'
import type { Facts, FolderFacts } from '../facts.ts'
import { lookAtBus } from './look-bus.ts'
import { lookAtCertificates } from './look-certificates.ts'
import { lookAtFolder } from './look-folder.ts'
import { lookAtReadiness } from './look-readiness.ts'
import { lookAtCredentials, lookAtSealing } from './look-secrets.ts'
import { lookAtSettings } from './look-settings.ts'
import { lookAtStore } from './look-store.ts'

export interface LookOptions {
  environment: Record<string, string | undefined>
  version: string
  clock: Clock
}

export async function look({ environment, version, clock }: LookOptions): Promise<Facts> {
  const settings = await lookAtSettings(environment)
  const { values, mode } = settings
  const common = { at: wallOf(clock), version, latestNumber: latestNumber(migrations), settings }
  if (values === null) {
    const why = 'It is looked at when the settings are right.'
    const sealing = { isNeeded: false, hasKey: false, fault: null }
    const nothing = { folder: null, readiness: null, certificates: [], credentials: null, sealing }
    return { ...common, ...nothing, bus: { state: 'unknown', why }, store: { kind: 'unknown', why } }
  }
  const usesFolder = mode !== null && (mode.embeddedBus || mode.embeddedStore || mode.services.includes('directory'))
  const folder: FolderFacts | null = usesFolder ? await lookAtFolder(values.DATA_DIR, clock) : null
  const [readiness, { facts: bus }, store] = await Promise.all([
    lookAtReadiness(values),
    lookAtBus(values, folder?.path ?? values.DATA_DIR, clock),
    lookAtStore(values, mode, folder, clock),
  ])
  return {
    ...common,
    folder,
    readiness,
    bus,
    store,
    certificates: await lookAtCertificates(values, store),
    credentials: await lookAtCredentials(values),
    sealing: await lookAtSealing(values, mode, store, folder),
  }
}
