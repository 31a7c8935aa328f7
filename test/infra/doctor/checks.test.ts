// Table of faults and the sentences that the doctor finds for them. Pure: facts in, findings out.
import t from 'tap'
import { day, second } from '#shared/limits/limits.ts'
import { isOlder } from '../../../infra/doctor/checks/versions.ts'
import { examine } from '../../../infra/doctor/examine.ts'
import type { Facts } from '../../../infra/doctor/facts.ts'
import { checks } from '../../../infra/doctor/registry.ts'
import { alone, at, bus, cluster, mongodb, stream } from './facts.ts'

interface Row {
  when: string
  facts: Facts
  check: string
  standing: 'fault' | 'warning'
  what: RegExp
  remedy: RegExp
}

const away = { server: 'nats-1.nats:4222', fault: 'nothing listens there', version: null }
const here = { server: 'nats-0.nats:4222', fault: null, version: '2.15.1' }
const gib = 1024 ** 3
const member = (over: object) => ({ host: 'mongo-1.mongo', port: 27017, isPrimary: false, fault: null, ...over })

const rows: Row[] = [
  {
    when: 'a setting is invalid',
    facts: cluster({ settings: { fault: 'PORT must be a whole number from 0 to 65535; it is "x".', values: null, mode: null } }),
    check: 'settings',
    standing: 'fault',
    what: /^PORT must be a whole number/,
    remedy: /^Correct this setting\.$/,
  },
  {
    when: 'settings contradict each other',
    facts: cluster({
      settings: {
        fault: 'SERVICES has only keeper here, so the others must be reached: set NATS_URL.',
        values: null,
        mode: null,
      },
    }),
    check: 'settings',
    standing: 'fault',
    what: /^SERVICES has only keeper here, so the others must be reached\.$/,
    remedy: /^Set NATS_URL\.$/,
  },
  {
    when: 'the running process is not ready',
    facts: cluster({ readiness: { isReady: false, reasons: ['The store does not answer.'], warnings: [] } }),
    check: 'process',
    standing: 'fault',
    what: /is not ready: The store does not answer\.$/,
    remedy: /log/,
  },
  {
    when: 'the running process warns',
    facts: cluster({ readiness: { isReady: true, reasons: [], warnings: ['Location hamburg has had no live prober.'] } }),
    check: 'process',
    standing: 'warning',
    what: /^Location hamburg/,
    remedy: /docs\/operator\.md/,
  },
  {
    when: 'one of three NATS servers is away',
    facts: cluster({ bus: bus({ servers: [here, away, { ...here, server: 'nats-2.nats:4222' }] }) }),
    check: 'bus',
    standing: 'fault',
    what: /^1 server of the bus can't be used: nats-1\.nats:4222 \(nothing listens there\)\.$/,
    remedy: /replace it/,
  },
  {
    when: 'no NATS server can be used',
    facts: cluster({ bus: bus({ servers: [away], files: null, streams: null, present: null }) }),
    check: 'bus',
    standing: 'fault',
    what: /^No server of the bus can be used: nats-1/,
    remedy: /^Start the NATS server;/,
  },
  {
    when: 'the bus has no JetStream',
    facts: cluster({ bus: bus({ files: null, streams: null }) }),
    check: 'bus',
    standing: 'fault',
    what: /^The bus has no JetStream\.$/,
    remedy: /store_dir/,
  },
  {
    when: 'the files of the bus are nearly full',
    facts: cluster({ bus: bus({ files: { usedBytes: 9 * gib, mostBytes: 10 * gib } }) }),
    check: 'bus',
    standing: 'warning',
    what: /^The bus has used 9\.0 GiB of 10\.0 GiB/,
    remedy: /max_file_store/,
  },
  {
    when: 'NATS servers have different versions',
    facts: cluster({ bus: bus({ servers: [here, { ...here, server: 'b:4222', version: '2.14.7' }] }) }),
    check: 'bus',
    standing: 'warning',
    what: /of 2 versions: 2\.15\.1, 2\.14\.7\.$/,
    remedy: /Finish the upgrade/,
  },
  {
    when: 'a process runs without its embedded bus',
    facts: alone({ folder: { ...alone().folder!, holder: 77 } }),
    check: 'bus',
    standing: 'fault',
    what: /runs \(process 77\), but its bus does not/,
    remedy: /restart Watchkeeper/,
  },
  {
    when: 'a stream is missing',
    facts: cluster({ bus: bus({ streams: [stream(), stream({ name: 'KV_checks', isPresent: false })] }) }),
    check: 'streams',
    standing: 'fault',
    what: /^Missing on the bus: KV_checks\.$/,
    remedy: /^Restart one directory/,
  },
  {
    when: 'the bus is empty',
    facts: cluster({ bus: bus({ streams: [stream({ isPresent: false })] }) }),
    check: 'streams',
    standing: 'warning',
    what: /no stream of Watchkeeper yet/,
    remedy: /put the files of the NATS servers back/,
  },
  {
    when: 'a stream has no leader',
    facts: cluster({ bus: bus({ streams: [stream({ hasLeader: false })] }) }),
    check: 'streams',
    standing: 'fault',
    what: /^OBSERVATIONS has no leader\.$/,
    remedy: /after 10 s/,
  },
  {
    when: 'a copy lies on a lost server',
    facts: cluster({ bus: bus({ streams: [stream({ offline: ['nats-1'] })] }) }),
    check: 'streams',
    standing: 'fault',
    what: /copies on servers that are away: nats-1\.$/,
    remedy: /replace them/,
  },
  {
    when: 'a copy is behind',
    facts: cluster({ bus: bus({ streams: [stream({ behind: ['nats-2'] })] }) }),
    check: 'streams',
    standing: 'warning',
    what: /not yet current on nats-2\.$/,
    remedy: /^Stop no NATS server/,
  },
  {
    when: 'streams have fewer copies than wanted',
    facts: cluster({ bus: bus({ streams: [stream({ copies: 1 })] }) }),
    check: 'streams',
    standing: 'fault',
    what: /^OBSERVATIONS: 1 instead of 3 copies\.$/,
    remedy: /NATS_REPLICAS=3/,
  },
  {
    when: 'three servers keep one copy, and none is asked for',
    facts: cluster({ bus: bus({ streams: [stream({ copies: 1 })] }) }, { NATS_REPLICAS: '0' }),
    check: 'streams',
    standing: 'warning',
    what: /^OBSERVATIONS lie on one server each\.$/,
    remedy: /^Set NATS_REPLICAS=3/,
  },
  {
    when: 'the stream is nearly full',
    facts: cluster({ bus: bus({ streams: [stream({ bytes: 1.96 * gib })] }) }),
    check: 'streams',
    standing: 'fault',
    what: /^OBSERVATIONS has used 2\.0 GiB of 2\.0 GiB\.$/,
    remedy: /keepers run/,
  },
  {
    when: 'a stream has 850 consumers',
    facts: cluster({ bus: bus({ streams: [stream({ consumers: 850 })] }) }),
    check: 'consumers',
    standing: 'warning',
    what: /^OBSERVATIONS has 850 consumers of 1000\.$/,
    remedy: /default_max_consumers/,
  },
  {
    when: 'a stream has as many consumers as it may have',
    facts: cluster({ bus: bus({ streams: [stream({ consumers: 200, mostConsumers: 200 })] }) }),
    check: 'consumers',
    standing: 'fault',
    what: /200 consumers of 200/,
    remedy: /default_max_consumers/,
  },
  {
    when: 'MongoDB cannot be used',
    facts: cluster({ store: mongodb({ fault: 'The database does not answer: connect ECONNREFUSED.' }) }),
    check: 'store',
    standing: 'fault',
    what: /^MongoDB can't be used: The database does not answer/,
    remedy: /^Start MongoDB/,
  },
  {
    when: 'the replica set has no primary',
    facts: cluster({ store: mongodb({ members: [member({}), member({}), member({})] }) }),
    check: 'store',
    standing: 'fault',
    what: /no primary/,
    remedy: /majority/,
  },
  {
    when: 'a member of the replica set is away',
    facts: cluster({
      store: mongodb({ members: [member({ isPrimary: true }), member({}), member({ fault: 'nothing listens there' })] }),
    }),
    check: 'store',
    standing: 'fault',
    what: /reached from here: mongo-1\.mongo:27017 \(nothing listens there\)\.$/,
    remedy: /^Start these members/,
  },
  {
    when: 'the user may not write',
    facts: cluster({ store: mongodb({ probe: { fault: 'not authorized', medianMs: null, races: 0, falseWins: 0 } }) }),
    check: 'store',
    standing: 'fault',
    what: /could not be written and read back: not authorized$/,
    remedy: /readWrite/,
  },
  {
    when: 'guarded writes do not guard',
    facts: cluster({ store: mongodb({ probe: { fault: null, medianMs: 3, races: 10, falseWins: 9 } }) }),
    check: 'store',
    standing: 'fault',
    what: /^Of 10 races between guarded writes, 9/,
    remedy: /^Use MongoDB itself/,
  },
  {
    when: 'store and bus are of two installations',
    facts: cluster({ store: mongodb({ installationId: 'other' }) }),
    check: 'store',
    standing: 'fault',
    what: /is that of the installation other, but the bus is that of one\.$/,
    remedy: /^Correct DATA_DIR, MONGODB_URL or NATS_URL/,
  },
  {
    when: 'the SQLite file is damaged',
    facts: alone({ store: { ...alone().store, fault: 'The file /data/watchkeeper.db is damaged (x): restore it.' } as never }),
    check: 'store',
    standing: 'fault',
    what: /is damaged \(x\)\.$/,
    remedy: /^Restore it\.$/,
  },
  {
    when: 'the upgrade of the store is not finished',
    facts: cluster({ store: mongodb({ level: { number: 3, done: 3 } }) }),
    check: 'level',
    standing: 'warning',
    what: /^The store has the number 3 of 4\.$/,
    remedy: /\.\/watchkeeper cluster finish-upgrade/,
  },
  {
    when: 'a newer version has converted the store',
    facts: cluster({ store: mongodb({ level: { number: 5, done: 5 } }) }),
    check: 'level',
    standing: 'fault',
    what: /its number is 5, and this program knows 4\.$/,
    remedy: /^Start the newer version/,
  },
  {
    when: 'a conversion has stopped half way',
    facts: cluster({ store: mongodb({ level: { number: 4, done: 3 } }) }),
    check: 'level',
    standing: 'fault',
    what: /stopped between 3 and 4\.$/,
    remedy: /goes on/,
  },
  {
    when: 'indexes are missing',
    facts: cluster({ store: mongodb({ missingIndexes: ['a.b', 'a.c', 'a.d', 'a.e', 'a.f', 'a.g'] }) }),
    check: 'indexes',
    standing: 'fault',
    what: /a\.b, a\.c, a\.d, a\.e, a\.f and 1 more\.$/,
    remedy: /^Restart one process/,
  },
  {
    when: 'the store is slow',
    facts: cluster({ store: mongodb({ probe: { fault: null, medianMs: 240, races: 10, falseWins: 0 } }) }),
    check: 'speed',
    standing: 'warning',
    what: /takes 240 ms\.$/,
    remedy: /primary/,
  },
  {
    when: 'the disk of the data folder is far too slow',
    facts: alone({ folder: { ...alone().folder!, flushMs: 1_200 } }),
    check: 'speed',
    standing: 'fault',
    what: /disk of \/data takes 1200 ms\.$/,
    remedy: /network file system/,
  },
  {
    when: 'the clock of this machine is an hour behind',
    facts: cluster({ bus: bus({ offset: { aheadMs: 3_600 * second, roundTripMs: 2 } }) }),
    check: 'clocks',
    standing: 'fault',
    what: /is 3600\.0 s behind that of the bus\.$/,
    remedy: /chrony/,
  },
  {
    when: 'the clock of this machine is a second ahead of the store',
    facts: cluster({ store: mongodb({ offset: { aheadMs: -1 * second, roundTripMs: 10 } }) }),
    check: 'clocks',
    standing: 'warning',
    what: /is 1\.0 s ahead of that of the store\.$/,
    remedy: /chrony/,
  },
  {
    when: 'a certificate has ended',
    facts: cluster({ certificates: [{ name: 'mongo-0:27017', validFrom: 0, validTo: at - day, fault: null }] }),
    check: 'certificates',
    standing: 'fault',
    what: /of mongo-0:27017 ended on 2026-11-28\.$/,
    remedy: /--renew/,
  },
  {
    when: 'a certificate ends soon',
    facts: cluster({ certificates: [{ name: 'NATS_CA_FILE', validFrom: 0, validTo: at + 9.5 * day, fault: null }] }),
    check: 'certificates',
    standing: 'warning',
    what: /ends in 9 days, on 2026-12-08\.$/,
    remedy: /--renew/,
  },
  {
    when: 'a certificate is not valid yet',
    facts: cluster({ certificates: [{ name: 'a:1', validFrom: at + day, validTo: at + 9 * day, fault: null }] }),
    check: 'certificates',
    standing: 'fault',
    what: /valid only from 2026-11-30 on\.$/,
    remedy: /clock/,
  },
  {
    when: 'a certificate file cannot be read',
    facts: cluster({
      certificates: [{ name: 'NATS_CA_FILE', validFrom: null, validTo: null, fault: 'The file x can\u2019t: put one.' }],
    }),
    check: 'certificates',
    standing: 'fault',
    what: /^NATS_CA_FILE: The file x/,
    remedy: /^Put one\.$/,
  },
  {
    when: 'credentials for the bus have ended',
    facts: cluster({ credentials: { expiresAt: at - day, fitsKeys: true } }),
    check: 'credentials',
    standing: 'fault',
    what: /ended on 2026-11-28\.$/,
    remedy: /NATS_CREDENTIALS/,
  },
  {
    when: 'credentials for the bus end soon',
    facts: cluster({ credentials: { expiresAt: at + day, fitsKeys: true } }),
    check: 'credentials',
    standing: 'warning',
    what: /end on 2026-11-30\.$/,
    remedy: /^Make new credentials/,
  },
  {
    when: 'the keys of probers are of another bus',
    facts: cluster({ credentials: { expiresAt: null, fitsKeys: false } }),
    check: 'credentials',
    standing: 'fault',
    what: /^NATS_KEYS is of another bus/,
    remedy: /\.\/watchkeeper cluster secrets/,
  },
  {
    when: 'the key of secrets does not fit the store',
    facts: cluster({ sealing: { isNeeded: true, hasKey: true, fault: 'Secrets are sealed with another key: put it back.' } }),
    check: 'secrets key',
    standing: 'fault',
    what: /^Secrets are sealed with another key\.$/,
    remedy: /^Put it back\.$/,
  },
  {
    when: 'there is no key of secrets',
    facts: cluster({ sealing: { isNeeded: true, hasKey: false, fault: null } }),
    check: 'secrets key',
    standing: 'warning',
    what: /^SECRETS_KEY is not set\.$/,
    remedy: /secrets\.env/,
  },
  {
    when: 'a prober is older',
    facts: cluster({ bus: bus({ present: [{ service: 'prober', id: 'aaaa/p1', version: '2.0.0', knows: 4 }] }) }),
    check: 'versions',
    standing: 'warning',
    what: /^Of 1 present, 1 of an older version than 2\.1\.0: prober aaaa\/p1 \(2\.0\.0\)\.$/,
    remedy: /^Upgrade them/,
  },
  {
    when: 'a keeper does not know the newest forms',
    facts: cluster({ bus: bus({ present: [{ service: 'keeper', id: 'k1', version: null, knows: 0 }] }) }),
    check: 'versions',
    standing: 'warning',
    what: /^Of 1 present, 1 of an older version than 2\.1\.0: keeper k1\.$/,
    remedy: /do not finish the upgrade/,
  },
  {
    when: 'a process is newer',
    facts: cluster({ bus: bus({ present: [{ service: 'gateway', id: 'g', version: '3.0.0', knows: 0 }] }) }),
    check: 'versions',
    standing: 'warning',
    what: /1 of a newer version than 2\.1\.0: gateway g \(3\.0\.0\)\.$/,
    remedy: /^Upgrade this one/,
  },
  {
    when: 'the disk is full',
    facts: alone({ folder: { ...alone().folder!, room: { freeBytes: 1024 ** 2, totalBytes: 100 * gib } } }),
    check: 'disk',
    standing: 'fault',
    what: /has 1\.0 MiB of 100 GiB free\.$/,
    remedy: /^Make room/,
  },
  {
    when: 'the disk of MongoDB fills up',
    facts: cluster({ store: mongodb({ room: { freeBytes: gib, totalBytes: 100 * gib } }) }),
    check: 'disk',
    standing: 'warning',
    what: /^The disk of MongoDB has 1\.0 GiB of 100 GiB free\.$/,
    remedy: /^Make room/,
  },
  {
    when: 'the data folder cannot be written',
    facts: alone({ folder: { ...alone().folder!, unwritable: 'The data folder /data can\u2019t be written: run as its user.' } }),
    check: 'disk',
    standing: 'fault',
    what: /^The data folder \/data/,
    remedy: /^Run as its user\.$/,
  },
]

for (const { when, facts, check, standing, what, remedy } of rows) {
  t.test(`doctor finds a ${standing} of ${check} when ${when}`, async t => {
    const findings = examine(facts, {}).filter(finding => finding.check === check && finding.standing === standing)
    const [found] = findings
    t.match(found, { standing, what, remedy }, JSON.stringify(findings))
    t.match(found?.why, /^[A-Z].+\.$/, 'a sentence says why it matters')
    t.equal(findings.length, 1)
  })
}

t.test('doctor finds nothing wrong with a cluster and a stopped installation that are well', async t => {
  for (const facts of [cluster(), alone()]) {
    const wrong = examine(facts, {}).filter(({ standing }) => standing === 'fault' || standing === 'warning')
    t.strictSame(wrong, [])
  }
  const said = examine(cluster(), {}).map(({ check }) => check)
  t.strictSame(said.toSorted(), Object.keys(checks).toSorted(), 'every check says something')
})

t.test('every check has a row in the table', async t => {
  const covered = new Set(rows.map(({ check }) => check))
  t.strictSame(
    Object.keys(checks).filter(check => !covered.has(check)),
    [],
  )
})

t.test('an offset within half of the round trip is no fault of a clock', async t => {
  const facts = cluster({ bus: bus({ offset: { aheadMs: 900, roundTripMs: 2_000 } }) })
  t.strictSame(
    examine(facts, {}).filter(({ check, standing }) => check === 'clocks' && standing !== 'well'),
    [],
  )
})

t.test('worst findings come first, and no sentence has a secret of the settings', async t => {
  const environment = {
    NATS_URL: 'nats://user:s3cr3t-bus@a:4222,nats://t0ken-of-bus@b:4222',
    MONGODB_URL: 'mongodb://me:p%40ss-of-store@h:1/x',
    NATS_TOKEN: 'a-token',
    SQIDS_SALT: 'salt-of-ids',
    SECRETS_KEY: 'key-one,key-two',
  }
  const said =
    'tried mongodb://me:p%40ss-of-store@h:1/x p@ss-of-store s3cr3t-bus t0ken-of-bus a-token salt-of-ids key-one key-two'
  const facts = cluster({
    store: mongodb({ fault: said }),
    bus: bus({ servers: [{ ...away, fault: said }], files: null, streams: null, present: null }),
    sealing: { isNeeded: true, hasKey: true, fault: said },
    readiness: { isReady: false, reasons: [said], warnings: [said] },
  })
  const findings = examine(facts, environment)
  t.notMatch(JSON.stringify(findings), /s3cr3t|t0ken|ss-of-store|a-token|salt-of|key-one|key-two/)
  const order = ['fault', 'warning', 'unknown', 'well']
  const places = findings.map(({ standing }) => order.indexOf(standing))
  t.strictSame(places, places.toSorted())
})

t.test('versions are compared by their numbers', async t => {
  for (const [one, other, expected] of [
    ['2.9.0', '2.10.0', true],
    ['2.10.0', '2.9.9', false],
    ['2.0.0', '2.0.0', false],
    ['1.9.9', '2.0.0', true],
    ['unknown', '2.0.0', false],
  ] as const)
    t.equal(isOlder(one, other), expected, `${one} ${other}`)
})
