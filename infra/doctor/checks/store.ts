// Reachability of the store, the rights of its user, and whether it belongs to the bus.
import { type KnownStore, lossByBus } from '../../runtime/data/data-loss.ts'
import type { Facts, StoreFacts } from '../facts.ts'
import { type Finding, fault, splitAdvice, unknown, warning, well } from '../finding.ts'

type Mongodb = Extract<StoreFacts, { kind: 'mongodb' }>
type Sqlite = Extract<StoreFacts, { kind: 'sqlite'; isUsed: false }>

const leastMembers = 3

export function checkStore(facts: Facts): Finding[] {
  const { store } = facts
  if (store.kind === 'none') return []
  if (store.kind === 'unknown') return [unknown(store.why)]
  if (store.kind === 'mongodb') return ofMongodb(store, facts)
  if (store.isUsed) return [well('The process that runs here has the SQLite file; its own state is in the finding "process".')]
  return ofSqlite(store)
}

function ofMongodb(store: Mongodb, { bus }: Facts): Finding[] {
  if (store.fault !== null) {
    const why =
      'Without the store nothing is judged and nobody signs in. Processes wait for it, so nothing that was accepted is lost.'
    const remedy = 'Start MongoDB, or correct MONGODB_URL, its password, its certificate or the network.'
    return [fault(`MongoDB can't be used: ${store.fault}`, why, remedy)]
  }
  const known = bus.state === 'looked' ? bus.installation : null
  const findings = [...ofMembers(store), ...ofProbe(store), ...(known === null ? [] : ofPair(store, known))]
  return findings.length > 0 ? findings : [well(`MongoDB ${store.version} takes, guards and returns writes.`)]
}

function ofMembers({ members }: Mongodb): Finding[] {
  if (members.length === 0) return []
  const findings: Finding[] = []
  if (members.every(({ isPrimary }) => !isPrimary)) {
    const why = 'Nothing can be written until the members elect one.'
    findings.push(fault('The replica set has no primary.', why, 'Start the members that are away: a majority must run.'))
  }
  const away = members.filter(({ fault: said }) => said !== null)
  if (away.length > 0) {
    const named = away.map(({ host, port, fault: said }) => `${host}:${port} (${said})`).join(', ')
    const why = 'The store works while a majority does, and cannot lose another one.'
    const remedy = 'Start these members, or replace them by the tools of MongoDB.'
    findings.push(fault(`Members of the replica set can't be reached from here: ${named}.`, why, remedy))
  }
  if (members.length < leastMembers) {
    const what = `The replica set has ${members.length} of ${leastMembers} members.`
    findings.push(warning(what, 'The loss of one machine stops the store.', 'Add members until there are three.'))
  }
  return findings
}

function ofProbe({ probe }: Mongodb): Finding[] {
  if (probe.fault !== null) {
    const why = 'Watchkeeper must write, replace and delete in its database.'
    const remedy = 'Give the user of MONGODB_URL the role readWrite on the database; on a full disk make room.'
    return [fault(`A document could not be written and read back: ${probe.fault}`, why, remedy)]
  }
  if (probe.falseWins === 0) return []
  const what = `Of ${probe.races} races between guarded writes, ${probe.falseWins} had not exactly one winner.`
  const why = 'Two keepers could both believe that they wrote a monitor: people would be told twice, or of nothing.'
  return [fault(what, why, 'Use MongoDB itself: this server does not keep the promise on which all writes rest.')]
}

function ofPair({ installationId }: Mongodb, known: KnownStore): Finding[] {
  const loss = lossByBus({ name: 'The database that MONGODB_URL names', installationId, commits: null }, known)
  if (loss === null) return []
  const { what, remedy } = splitAdvice(loss)
  return [fault(what, 'No process starts with this pair of store and bus.', remedy)]
}

function ofSqlite(store: Sqlite): Finding[] {
  if (store.fault === null)
    return [well(store.exists ? `${store.path} is whole.` : 'There is no store yet: the first start makes it.')]
  const { what, remedy } = splitAdvice(store.fault)
  return [fault(what, 'Watchkeeper does not start on it.', remedy)]
}
