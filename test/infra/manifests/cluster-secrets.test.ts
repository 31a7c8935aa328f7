// Secrets and certificates of `./watchkeeper cluster secrets` and `./watchkeeper bus certificate`: other programs accept the certificates,
// only the owner may read the files, and a renewal changes only certificates.
import { spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { connect, createServer } from 'node:tls'
import t from 'tap'
import { day } from '#shared/limits/limits.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { makeClusterSecrets, renewCertificates } from '../../../infra/cluster/cluster-secrets.ts'
import { hostsOf, makeAuthority, makeServer } from '../../../infra/cluster/x509.ts'
import { runProgram, temporaryFolder } from '../run-program.ts'

const clock = createSystemClock()
const now = clock.now()
clock.stop()
const year = 365 * day
const openssl = 'openssl'

t.test('certificate is accepted by OpenSSL and TLS', async t => {
  const authority = makeAuthority({ commonName: 'Test authority', validFrom: now - day, validTo: now + 30 * year })
  const other = makeAuthority({ commonName: 'Test authority', validFrom: now - day, validTo: now + year })
  const hosts = ['localhost', 'nats-0.nats', '127.0.0.1', '2001:db8::5', '::1', '1:2:3:4:5:6:7:8']
  const make = (validTo: number) => makeServer(authority, { commonName: 'Test server', validFrom: now - day, validTo, hosts })
  const server = make(now + year)
  const certificate = new X509Certificate(server.certificate)
  const signer = new X509Certificate(authority.certificate)

  t.ok(certificate.verify(signer.publicKey), 'signed by the authority')
  t.ok(certificate.checkIssued(signer))
  t.notOk(certificate.verify(new X509Certificate(other.certificate).publicKey), 'and by no other of its name')
  t.ok(signer.ca)
  t.notOk(certificate.ca)
  for (const host of hosts.slice(0, 2)) t.equal(certificate.checkHost(host), host)
  t.notOk(certificate.checkHost('nats-1.nats'))
  for (const address of hosts.slice(2)) t.ok(certificate.checkIP(address), address)
  t.equal(certificate.validToDate.getTime(), Math.floor((now + year) / 1_000) * 1_000)
  t.equal(signer.validToDate.getUTCFullYear(), new Date(now + 30 * year).getUTCFullYear(), 'also beyond 2050')
  t.same(hostsOf(server.certificate).slice(0, 3), hosts.slice(0, 3))
  t.same(hostsOf(''), [])

  const folder = temporaryFolder(t)
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const [ca, leaf, old] = [
    file('ca.pem', authority.certificate),
    file('server.pem', server.certificate),
    file('old.pem', make(now - 1_000).certificate),
  ]
  const verify = (path: string, ...more: string[]) =>
    spawnSync(openssl, ['verify', '-x509_strict', ...more, '-CAfile', ca, path], { encoding: 'utf8' })
  if (verify(leaf).error === undefined) {
    for (const purpose of ['sslserver', 'sslclient']) t.match(verify(leaf, '-purpose', purpose), { status: 0 }, purpose)
    t.match(verify(leaf, '-verify_hostname', 'nats-0.nats'), { status: 0 })
    t.match(verify(old), { stderr: /certificate has expired/ })
  } else t.comment('no openssl here: only Node has looked at the certificates')

  const listener = createServer(
    { key: server.key, cert: server.certificate, ca: authority.certificate, requestCert: true },
    socket => socket.end('hello'),
  )
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  t.teardown(() => listener.close())
  const { port } = listener.address() as AddressInfo
  const meet = async (trusted: string) => {
    const socket = connect({
      port,
      host: '127.0.0.1',
      servername: 'nats-0.nats',
      ca: trusted,
      key: server.key,
      cert: server.certificate,
    })
    const [data] = (await once(socket, 'data')) as [Buffer]
    return String(data)
  }
  t.equal(await meet(authority.certificate), 'hello', 'both sides accept each other')
  await t.rejects(meet(other.certificate), 'but not by another authority')
})

t.test('secrets of two clusters differ, and a renewal changes only the certificates', async t => {
  const first = makeClusterSecrets({ at: now, busHosts: ['bus.example'] })
  const second = makeClusterSecrets({ at: now, busHosts: [] })
  t.strictSame([...first.keys()], [...second.keys()])
  for (const [path, text] of first) t.not(text, second.get(path), path)

  const renewed = renewCertificates(first, { at: now + 700 * day, busHosts: ['192.0.2.1'] })
  const changed = [...first.keys()].filter(path => renewed.get(path) !== first.get(path))
  t.strictSame(changed.sort(), ['kubernetes.yaml', 'mongo/server.pem', 'nats/server.key', 'nats/server.pem'])
  const bus = new X509Certificate(renewed.get('nats/server.pem') ?? '')
  t.ok(bus.checkHost('bus.example'), 'a host of before is kept')
  t.ok(bus.checkIP('192.0.2.1'))
  t.ok(bus.validToDate.getTime() > now + 1_500 * day)
  t.ok(bus.verify(new X509Certificate(first.get('ca.pem') ?? '').publicKey), 'clients of before trust it')
})

t.test('folder of secrets is readable only by its owner and is created only once', async t => {
  const folder = join(temporaryFolder(t), 'secrets')
  const command = (...args: string[]) => runProgram(t, ['cluster', 'secrets', folder, ...args]).ended
  const made = await command('--host', 'bus.example')
  t.match(made, { code: 0, stderr: '' })
  for (const word of ['PRIVATE', 'SEED', /\w{40}/]) t.notMatch(made.stdout, word, 'it prints no secret')
  const modeOf = (path: string) => (statSync(join(folder, path)).mode & 0o777).toString(8)
  t.equal(modeOf('.'), '700')
  for (const name of ['authority.key', 'store.env', 'salt.env', 'secrets.env', 'kubernetes.yaml'])
    t.equal(modeOf(name), '600', name)
  // Containers run as different users, so these files are readable by all users.
  for (const name of ['nats', 'mongo', 'services', 'directory']) {
    t.equal(modeOf(name), '755', name)
    for (const file of readdirSync(join(folder, name))) t.equal(modeOf(join(name, file)), '644', file)
  }
  const authority = readFileSync(join(folder, 'ca.pem'), 'utf8')
  t.match(await command(), { code: 2, stderr: /name one that does not exist/ }, 'secrets in use are not overwritten')
  t.equal(readFileSync(join(folder, 'ca.pem'), 'utf8'), authority)

  const before = readFileSync(join(folder, 'nats', 'server.pem'), 'utf8')
  t.match(await command('--renew'), { code: 0, stderr: '' })
  t.not(readFileSync(join(folder, 'nats', 'server.pem'), 'utf8'), before)
  t.equal(modeOf('nats/server.key'), '644')
  rmSync(join(folder, 'authority.key'))
  t.match(await command('--renew'), { code: 2, stderr: /authority\.key is not in it: put it back/ })
  t.match(await runProgram(t, ['cluster', 'secrets', join(folder, 'nowhere'), '--renew']).ended, {
    code: 2,
    stderr: /can't be read \(ENOENT\)/,
  })
  t.match(await runProgram(t, ['cluster', 'secrets', '/proc/secrets']).ended, { code: 2, stderr: /can't be made/ })
  chmodSync(folder, 0o700)
})

t.test('prober that trusts the authority of the certificate connects to the embedded bus', { timeout: 120_000 }, async t => {
  const folder = join(temporaryFolder(t), 'bus')
  const made = await runProgram(t, ['bus', 'certificate', folder, '--host', 'localhost', '127.0.0.1', '--json']).ended
  t.equal(made.code, 0, made.stderr)
  const paths = JSON.parse(made.stdout) as Record<'certificate' | 'key' | 'authority', string>
  t.strictSame(
    readdirSync(folder).sort(),
    ['bus.key', 'bus.pem', 'ca.pem'],
    'the key of the authority is not kept: nothing else is signed by it',
  )
  for (const path of Object.values(paths)) t.equal(statSync(path).mode & 0o777, 0o600)
  t.match(await runProgram(t, ['bus', 'certificate', folder, '--host', 'x']).ended, {
    code: 2,
    stderr: /name one that does not exist/,
  })
  t.match(await runProgram(t, ['bus', 'certificate', folder]).ended, { code: 2, stderr: /--host/ })

  const dataFolder = temporaryFolder(t)
  const settings = {
    DATA_DIR: dataFolder,
    SERVICES: 'directory,keeper,notifier,gateway',
    NATS_TLS_CERT: paths.certificate,
    NATS_TLS_KEY: paths.key,
  }
  const main = runProgram(t, ['start'], settings)
  await main.says(/readiness and metrics/)
  const { url } = JSON.parse(readFileSync(join(dataFolder, 'bus.json'), 'utf8')) as { url: string }
  const file = join(dataFolder, 'local.creds')
  t.match(await runProgram(t, ['prober', 'create', 'local', '--out', file], { DATA_DIR: dataFolder }).ended, { code: 0 })
  const remote = { SERVICES: 'prober', NATS_URL: url.replace('nats://127.0.0.1', 'tls://localhost'), NATS_CREDENTIALS: file }
  const prober = runProgram(t, ['start'], { ...remote, NATS_CA_FILE: paths.authority })
  await prober.says(/readiness and metrics/)
  const strange = await runProgram(t, ['start'], remote).ended
  t.match(strange, { code: 1, stderr: /does not trust .* set NATS_CA_FILE/ })
  const plain = await runProgram(t, ['start'], { ...remote, NATS_URL: url, NATS_CA_FILE: join(dataFolder, 'none.pem') }).ended
  t.match(plain, { code: 2, stderr: /none\.pem can't be read \(ENOENT\): correct NATS_CA_FILE/ })
})
