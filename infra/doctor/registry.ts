// The checks of the doctor, in the order in which they are shown. A new check is a file of `checks` and a line here.
import { checkBus } from './checks/bus.ts'
import { checkCertificates } from './checks/certificates.ts'
import { checkClocks } from './checks/clocks.ts'
import { checkConsumers } from './checks/consumers.ts'
import { checkCredentials } from './checks/credentials.ts'
import { checkDisk } from './checks/disk.ts'
import { checkIndexes } from './checks/indexes.ts'
import { checkLevel } from './checks/level.ts'
import { checkReadiness } from './checks/readiness.ts'
import { checkSecretsKey } from './checks/secrets-key.ts'
import { checkSettings } from './checks/settings.ts'
import { checkSpeed } from './checks/speed.ts'
import { checkStore } from './checks/store.ts'
import { checkStreams } from './checks/streams.ts'
import { checkVersions } from './checks/versions.ts'
import type { Facts } from './facts.ts'
import type { Finding } from './finding.ts'

/** Pure: returns what the facts say; at least one finding, or none if the check has no meaning for this installation. */
export type Check = (facts: Facts) => Finding[]

export const checks: Readonly<Record<string, Check>> = {
  settings: checkSettings,
  process: checkReadiness,
  bus: checkBus,
  streams: checkStreams,
  consumers: checkConsumers,
  store: checkStore,
  level: checkLevel,
  indexes: checkIndexes,
  speed: checkSpeed,
  clocks: checkClocks,
  certificates: checkCertificates,
  credentials: checkCredentials,
  'secrets key': checkSecretsKey,
  versions: checkVersions,
  disk: checkDisk,
}
