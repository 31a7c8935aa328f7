// Content of the manifests: settings that exist, generated secrets, containers with few rights, and networks with few permitted
// connections. Their bus and services run in manifest-cluster.test.ts, the image in image.test.ts.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import t from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { makeClusterSecrets } from '../../../infra/cluster/cluster-secrets.ts'
import { settingGroups } from '../../../infra/runtime/all-settings.ts'
import { imageSources } from '../../support/image.ts'
import { pythonPackage } from '../../support/python-package.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { version } = JSON.parse(read('package.json')) as { version: string }
const declared = settingGroups.flatMap(group => Object.keys(group.declared))
const services = ['directory', 'gateway', 'keeper', 'notifier', 'prober']
const secrets = makeClusterSecrets({ at: Date.UTC(2026, 0, 1), busHosts: [] })

interface ComposeService {
  image: string
  build?: object
  user?: string
  environment?: Record<string, string>
  env_file?: string[]
  volumes?: string[]
  networks?: string[] | Record<string, object>
  network_mode?: string
  ports?: string[]
  healthcheck?: object
  entrypoint?: string[]
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  mem_limit?: string
  scale?: number
  stop_signal?: string
  stop_grace_period?: string
}
interface Compose {
  services: Record<string, ComposeService>
  networks: Record<string, { internal?: boolean }>
}
const compose = parse(read('infra/compose/compose.yaml'), { merge: true }) as Compose
const single = parse(read('infra/compose/single.yaml'), { merge: true }) as Compose

interface Labels {
  matchLabels?: Record<string, string>
}
interface Container {
  name: string
  image: string
  command?: string[]
  env?: { name: string }[]
  envFrom?: { secretRef: { name: string } }[]
  volumeMounts: { name: string; mountPath: string }[]
  resources: Record<'requests' | 'limits', Record<string, string>>
  securityContext: object
  startupProbe?: object
  readinessProbe?: object
  livenessProbe?: object
}
interface SecretSource {
  secretName?: string
  name?: string
  items?: { key: string; path: string }[]
}
interface Volume {
  name: string
  secret?: SecretSource
  projected?: { sources: { secret?: SecretSource; configMap?: { name: string } }[] }
}
interface Pod {
  terminationGracePeriodSeconds: number
  securityContext: { runAsUser: number }
  containers: Container[]
  volumes: Volume[]
  topologySpreadConstraints: { labelSelector: Labels }[]
}
interface Peer {
  podSelector?: Labels
  namespaceSelector?: Labels
  ipBlock?: { cidr: string }
}
interface Rule {
  from?: Peer[]
  to?: Peer[]
  ports: { port: number }[]
}
interface Manifest {
  kind: string
  metadata: { name: string; namespace?: string }
  data?: Record<string, string>
  spec: {
    replicas: number
    template: { metadata: { labels: Record<string, string> }; spec: Pod }
    selector: Labels
    podSelector: Labels
    policyTypes: string[]
    ingress?: Rule[]
    egress?: Rule[]
  }
}
const kubernetesFiles = ['infra/kubernetes/watchkeeper.yaml', 'infra/kubernetes/remote-probers.yaml']
const manifests = parseAllDocuments(read(kubernetesFiles[0] as string)).map(document => document.toJS() as Manifest)
const ofKind = (...kinds: string[]) => manifests.filter(({ kind }) => kinds.includes(kind))
const workloads = ofKind('Deployment', 'StatefulSet').map(({ metadata, spec }) => {
  const { labels } = spec.template.metadata
  const pod = spec.template.spec
  return { name: metadata.name, replicas: spec.replicas, labels, pod, container: pod.containers[0] as Container }
})

const isSet = (selector: Labels, labels: Record<string, string>) =>
  Object.entries(selector.matchLabels ?? {}).every(([label, value]) => labels[label] === value)

t.test('each service has its container and declared settings', async t => {
  const fromCompose = Object.entries(compose.services)
    .filter(([name, service]) => service.build && !name.startsWith('nats'))
    .map(([name, { environment = {}, env_file = [] }]) => ({
      name,
      settings: [
        ...Object.keys(environment),
        ...env_file.map(file => secrets.get(file.replace('secrets/', ''))?.split('=')[0] ?? file),
      ],
    }))
  const fromKubernetes = workloads
    .filter(({ name }) => name !== 'nats' && name !== 'mongo')
    .map(({ name, container: { env = [], envFrom = [] } }) => ({
      name,
      settings: [
        ...env.map(entry => entry.name),
        ...envFrom.map(({ secretRef }) => secrets.get(`${secretRef.name}.env`)?.split('=')[0] ?? secretRef.name),
      ],
    }))
  const named = (all: { name: string }[]) => all.map(({ name }) => name).sort()
  t.strictSame(named(fromCompose), services)
  t.strictSame(named(fromKubernetes), services)
  for (const { name, settings } of [...fromCompose, ...fromKubernetes]) {
    for (const setting of settings) t.ok(declared.includes(setting), `${name} sets ${setting}, which is declared`)
  }
  const ignored = ['PUBLIC_URL', 'TRUST_PROXY']
  const essential = (all: typeof fromCompose, name: string) =>
    all
      .find(container => container.name === name)
      ?.settings.filter(setting => !ignored.includes(setting))
      .sort()
  for (const name of services) t.strictSame(essential(fromCompose, name), essential(fromKubernetes, name), `${name} is set alike`)
  for (const setting of Object.keys(single.services['main']?.environment ?? {})) t.ok(declared.includes(setting), setting)
  const image = [...imageSources().dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) =>
    line.split(' ').map(pair => pair.split('=')[0]),
  )
  for (const setting of image) t.ok(setting === 'NODE_ENV' || declared.includes(setting ?? ''), `the image sets ${setting}`)
})

t.test('configurations for Kubernetes and compose are equal word for word', async t => {
  const data = Object.assign({}, ...ofKind('ConfigMap').map(({ data }) => data)) as Record<string, string>
  t.strictSame(Object.keys(data).sort(), ['mongod.conf', 'nats.conf', 'replica-set.js'])
  for (const [name, text] of Object.entries(data)) t.equal(text, read(`infra/compose/${name}`), name)
})

t.test('MongoDB requires TLS and a password', async t => {
  const configuration = parse(read('infra/compose/mongod.conf'))
  t.match(configuration, {
    net: {
      tls: { mode: 'requireTLS', CAFile: '/etc/mongo/secrets/ca.pem', certificateKeyFile: '/etc/mongo/secrets/server.pem' },
    },
    security: { authorization: 'enabled', keyFile: '/tmp/keyfile' },
    replication: { replSetName: 'rs0' },
  })
  const url = secrets.get('store.env')?.trim() ?? ''
  t.match(url, /^MONGODB_URL=mongodb:\/\/watchkeeper:\w{40}@mongo-0\.mongo:27017,/)
  t.match(url, /\?replicaSet=rs0&tls=true&tlsCAFile=\/etc\/watchkeeper\/services\/ca\.pem$/)
  t.match(secrets.get('mongo/keyfile'), /^[A-Za-z0-9+/=]{6,1024}\n$/, 'as mongod takes it')
})

t.test('container of compose gets exactly its secrets', async t => {
  const mounted: Record<string, string[]> = {}
  for (const [name, { volumes = [], env_file = [] }] of Object.entries(compose.services)) {
    const folders = volumes
      .filter(volume => volume.startsWith('./secrets/'))
      .map(volume => volume.split(':')[0]?.slice('./secrets/'.length) ?? '')
    mounted[name] = [...folders, ...env_file.map(file => file.slice('secrets/'.length))].sort()
    for (const volume of volumes.filter(volume => volume.startsWith('../'))) {
      t.match(volume, /:ro$/, volume)
      const [path = ''] = volume.split(':')
      if (!path.startsWith('./secrets/')) t.ok(existsSync(join(root, 'infra/compose', path)), path)
    }
  }
  const three = (name: string, given: string[]) => Object.fromEntries([0, 1, 2].map(number => [`${name}-${number}`, given]))
  t.strictSame(mounted, {
    ...three('nats', ['nats']),
    ...three('mongo', ['mongo']),
    'mongo-init': ['mongo'],
    directory: ['directory', 'salt.env', 'secrets.env', 'services', 'store.env'],
    keeper: ['salt.env', 'services', 'store.env'],
    notifier: ['salt.env', 'secrets.env', 'services', 'store.env'],
    prober: ['secrets.env', 'services'],
    gateway: ['salt.env', 'secrets.env', 'services'],
  })
  const made = new Set([...secrets.keys()].map(path => path.split('/')[0]))
  for (const name of Object.values(mounted).flat()) t.ok(made.has(name), `${name} is made`)
  t.notOk(Object.values(mounted).flat().includes('authority.key'), 'nobody can sign certificates')
})

t.test('container of compose has only the rights that it needs', async t => {
  const all = { ...compose.services, ...single.services }
  for (const [name, service] of Object.entries(all)) {
    t.equal(service.read_only, true, `${name} has a root that cannot be written`)
    t.strictSame(service.cap_drop, ['ALL'], `${name} has no capabilities`)
    t.strictSame(service.security_opt, ['no-new-privileges:true'], name)
    t.match(service.image, /^(watchkeeper:[\d.]+|mongo:8\.0)$/, `${name} names its image`)
    t.ok(service.image.startsWith('watchkeeper:') || service.user === '999:999', `${name} is not root`)
    if (name !== 'mongo-init') t.ok(service.mem_limit, `${name} has a limit of memory`)
    // The health check of the image fits only Watchkeeper's services, so other containers need their own.
    if (service.entrypoint && name !== 'mongo-init') t.ok(service.healthcheck, `${name} has a check of its health`)
    if (service.image.startsWith('watchkeeper')) t.equal(service.image, `watchkeeper:${version}`)
  }
  const published = Object.entries(all).filter(([, { ports }]) => ports)
  t.strictSame(
    published.map(([name, { ports }]) => [name, ...(ports ?? [])]),
    [
      ['gateway', '127.0.0.1:2517-2518:2517'],
      ['main', '127.0.0.1:2517:2517'],
    ],
  )
  const onNetwork = (network: string) =>
    Object.entries(compose.services)
      .filter(([, { networks = [] }]) => (Array.isArray(networks) ? networks : Object.keys(networks)).includes(network))
      .map(([name]) => name)
  t.strictSame(onNetwork('store'), ['mongo-0', 'mongo-1', 'mongo-2', 'directory', 'keeper', 'notifier'])
  t.strictSame(onNetwork('bus'), ['nats-0', 'nats-1', 'nats-2', ...['directory', 'keeper', 'notifier', 'prober', 'gateway']])
  t.strictSame(onNetwork('outside'), ['notifier', 'prober', 'gateway'])
  t.match(compose.networks, { bus: { internal: true }, store: { internal: true } })
})

t.test('compose runs two of each service, and as many ports as gateways', async t => {
  for (const name of services) t.equal(compose.services[name]?.scale, 2, name)
  const [, first, last] = /:(\d+)-(\d+):/.exec(compose.services['gateway']?.ports?.[0] ?? '') ?? []
  t.equal(Number(last) - Number(first) + 1, compose.services['gateway']?.scale)
})

t.test('bus of compose is opened at all three servers, each on a port of its own', async t => {
  const opened = parse(read('infra/compose/remote-probers.yaml')) as Compose
  const ports = Object.entries(opened.services).map(([name, service]) => [name, ...(service.ports ?? [])])
  t.strictSame(ports, [
    ['nats-0', '4222:4222'],
    ['nats-1', '4223:4222'],
    ['nats-2', '4224:4222'],
  ])
  for (const [name, { networks }] of Object.entries(opened.services))
    t.strictSame(networks, { bus: { aliases: [`${name}.nats`] }, outside: {} }, `${name} keeps its name on the bus`)
})

t.test('server of the bus may hand over before it is killed, in compose and on Kubernetes', async t => {
  const seconds = (name: string) => Number(new RegExp(`${name}: "(\\d+)s"`).exec(read('infra/compose/nats.conf'))?.[1])
  const leastS = seconds('lame_duck_duration') + seconds('lame_duck_grace_period')
  const nats = workloads.find(({ name }) => name === 'nats')
  t.ok((nats?.pod.terminationGracePeriodSeconds ?? 0) > leastS, 'Kubernetes waits longer')
  for (const number of [0, 1, 2]) {
    const service = compose.services[`nats-${number}`]
    t.equal(service?.stop_signal, 'SIGUSR2')
    t.ok(Number.parseInt(service?.stop_grace_period ?? '0', 10) > leastS, 'compose waits longer')
  }
})

t.test('systemd unit sets declared settings, runs present files, and may write only to its own folder', async t => {
  const unit = read('infra/systemd/watchkeeper.service')
  const valuesOf = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)
  const set = valuesOf('Environment').flatMap(line => line.split(' ').map(pair => pair.split('=')[0] ?? ''))
  const ofNode = ['NODE_COMPILE_CACHE']
  t.strictSame(set, ['DATA_DIR', 'TOOLS_DIR', ...ofNode])
  for (const setting of set) t.ok(declared.includes(setting) || ofNode.includes(setting), setting)
  const paths = valuesOf('ExecStart').flatMap(line => line.split(' ').filter(word => word.startsWith('/opt/watchkeeper/')))
  t.equal(paths.length, 2)
  for (const path of paths) t.ok(existsSync(join(root, path.slice('/opt/watchkeeper/'.length))), path)
  t.match(unit, /^User=watchkeeper$/m)
  t.match(unit, /^ProtectSystem=strict$/m)
  t.strictSame(valuesOf('ReadWritePaths'), [])
  t.strictSame(valuesOf('StateDirectory'), ['watchkeeper'])
  for (const path of unit.match(/\/var\/lib\/\w+/g) ?? []) t.equal(path, '/var/lib/watchkeeper')
})

t.test('nginx example forwards the real address of a client, not the X-Forwarded-For of the client', async t => {
  const example = read('infra/proxy/nginx.conf')
  t.match(example, 'proxy_set_header X-Forwarded-For $remote_addr;')
  t.notMatch(example, '$proxy_add_x_forwarded_for')
})

t.test('Kubernetes manifests fit the schemas of Kubernetes', { timeout: 200_000 }, async t => {
  const name = 'kubernetes-validate'
  const skipped = 'the check of the Kubernetes manifests against the schemas of Kubernetes'
  const folder = await pythonPackage({ name, version: '1.37.0', skipped, remedy: 'install Python 3.11 or later with pip' })
  if (folder === null) return
  const validate = (...files: string[]) =>
    promisify(execFile)('python3', [join(folder, 'bin', name), '--strict', ...files], {
      env: { ...process.env, PYTHONPATH: folder },
    })
  await validate(...kubernetesFiles.map(file => join(root, file)))
  const wrong = t.testdir({ 'wrong.yaml': read(kubernetesFiles[0] as string).replace('readinessProbe:', 'readynessProbe:') })
  const complaint = await validate(join(wrong, 'wrong.yaml')).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  )
  t.match(complaint, /readynessProbe/, 'a misspelt word is found')
})

t.test('pod of Kubernetes has few rights, and has probes and limits', async t => {
  t.strictSame(workloads.map(({ name }) => name).sort(), [...services, 'mongo', 'nats'].sort())
  for (const { name, pod, container, labels, replicas } of workloads) {
    t.match(
      pod,
      {
        automountServiceAccountToken: false,
        // With service links Kubernetes sets variables such as NATS_PORT, which the program reads as settings.
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      },
      name,
    )
    t.ok(pod.securityContext.runAsUser > 0, `${name} is not root`)
    t.equal(pod.containers.length, 1)
    t.strictSame(
      container.securityContext,
      { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      name,
    )
    for (const bound of ['requests', 'limits'] as const)
      t.match(container.resources[bound], { cpu: /^\d+m?$/, memory: /^\d+[MG]i$/ }, `${name} has ${bound}`)
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'] as const)
      t.ok(container[probe], `${name} has a ${probe}`)
    t.equal(container.image, name === 'mongo' ? 'mongo:8.0' : `watchkeeper:${version}`)
    t.ok(replicas >= 2, `${name} survives the loss of a pod`)
    const budgets = ofKind('PodDisruptionBudget').filter(({ spec }) => isSet(spec.selector, labels))
    t.match(budgets, [{ spec: { maxUnavailable: 1 } }], `${name} has one budget of disruptions`)
    t.equal(pod.topologySpreadConstraints.length, 2)
    for (const { labelSelector } of pod.topologySpreadConstraints) t.ok(isSet(labelSelector, labels), `${name} is spread`)
  }
})

t.test('pod of Kubernetes gets exactly its secrets', async t => {
  const made = new Map(
    parseAllDocuments(secrets.get('kubernetes.yaml') ?? '').map(document => {
      const { metadata, data } = document.toJS() as {
        metadata: { name: string; namespace: string }
        data: Record<string, string>
      }
      t.equal(metadata.namespace, 'watchkeeper')
      return [metadata.name, data] as const
    }),
  )
  t.notMatch(
    [...made.values()].flatMap(data => Object.values(data)),
    [Buffer.from(secrets.get('authority.key') ?? '').toString('base64')],
  )
  const mounted: Record<string, string[]> = {}
  for (const { name, pod, container } of workloads) {
    const sources = pod.volumes.flatMap(({ secret, projected }) => [
      secret,
      ...(projected?.sources.map(source => source.secret) ?? []),
    ])
    const used = sources
      .filter(source => source !== undefined)
      .map(({ secretName, name, items }) => ({ name: secretName ?? name ?? '', items }))
    mounted[name] = [
      ...used.map(source => source.name),
      ...(container.envFrom ?? []).map(({ secretRef }) => secretRef.name),
    ].sort()
    for (const { name: secret, items = [] } of used) {
      for (const { key, path } of items) {
        t.ok(made.get(secret)?.[key], `the secret ${secret} has ${key}`)
        t.equal(path, `secrets/${key}`)
      }
    }
    for (const { name: volume } of container.volumeMounts.filter(({ name }) => name !== 'data'))
      t.ok(
        pod.volumes.some(({ name }) => name === volume),
        `${name} has the volume ${volume}`,
      )
  }
  t.strictSame(mounted, {
    nats: ['nats'],
    mongo: ['mongo'],
    directory: ['directory', 'salt', 'secrets', 'services', 'store'],
    keeper: ['salt', 'services', 'store'],
    notifier: ['salt', 'secrets', 'services', 'store'],
    prober: ['secrets', 'services'],
    gateway: ['salt', 'secrets', 'services'],
  })
  for (const name of Object.values(mounted).flat()) t.ok(made.has(name), `the secret ${name} is made`)
})

t.test('network policies admit exactly the needed connections', async t => {
  const policies = ofKind('NetworkPolicy').map(({ spec }) => spec)
  const labelsOf = (name: string) => workloads.find(workload => workload.name === name)?.labels ?? { app: name }
  const peerFits = (peers: Peer[] | undefined, other: Record<string, string>) =>
    peers === undefined ||
    peers.some(({ podSelector, namespaceSelector }) => podSelector && !namespaceSelector && isSet(podSelector, other))
  /** Returns the decision of Kubernetes: a pod that a policy selects may use only connections that some policy allows. */
  const allows = (type: 'Ingress' | 'Egress', own: Record<string, string>, other: Record<string, string>, port: number) => {
    const selected = policies.filter(policy => policy.policyTypes.includes(type) && isSet(policy.podSelector, own))
    const rules = selected.flatMap(policy => (type === 'Ingress' ? policy.ingress : policy.egress) ?? [])
    const fits = ({ from, to, ports }: Rule) =>
      ports?.some(allowed => allowed.port === port) && peerFits(type === 'Ingress' ? from : to, other)
    return selected.length === 0 || rules.some(fits)
  }
  const reaches = (from: string, to: string, port: number) =>
    allows('Egress', labelsOf(from), labelsOf(to), port) && allows('Ingress', labelsOf(to), labelsOf(from), port)
  const all = [...workloads.map(({ name }) => name), 'stranger']
  const who = (to: string, port: number) => all.filter(from => reaches(from, to, port)).sort()
  t.strictSame(who('nats', 4222), services, 'the bus')
  t.strictSame(who('nats', 6222), ['nats'], 'its routes')
  t.strictSame(who('nats', 8222), [], 'its monitoring')
  t.strictSame(who('mongo', 27017), ['directory', 'keeper', 'mongo', 'notifier'], 'the store')
  const outside = workloads.filter(({ labels }) =>
    policies.some(
      policy => isSet(policy.podSelector, labels) && policy.egress?.some(({ to }) => to?.some(({ ipBlock }) => ipBlock)),
    ),
  )
  t.strictSame(outside.map(({ name }) => name).sort(), ['gateway', 'notifier', 'prober'], 'the internet')
  t.ok(allows('Ingress', labelsOf('gateway'), { app: 'ingress' }, 2517), 'the API is for all')
  const stranger = labelsOf('stranger')
  t.notOk(allows('Ingress', stranger, labelsOf('prober'), 80), 'nobody reaches a pod that no policy names')
  t.notOk(allows('Egress', stranger, labelsOf('gateway'), 2517), 'and it reaches nobody')
})

t.test('script of the replica set creates the set and its users after any earlier run', async t => {
  /**
   * Fake of mongosh and of a member of the replica set, with the functions that the script uses. Once there is a user, a password is
   * required.
   */
  const member = (state: { set: boolean; primary: 'here' | string | null; users: string[] }) => {
    let signedIn = false
    const made: string[] = []
    const permitted = (what: string) => {
      if (state.users.length > 0 && !signedIn) throw new Error(`${what} requires authentication`)
    }
    const database = (name: string) => ({
      auth: (user: string, password: string) => {
        if (!state.users.includes(`${name}.${user}`) || password !== 'secret') throw new Error('Authentication failed.')
        signedIn = true
        return { ok: 1 }
      },
      getUser: (user: string) => {
        permitted('usersInfo')
        return state.users.includes(`${name}.${user}`) ? { user } : null
      },
      createUser: ({ user, roles }: { user: string; roles: unknown[] }) => {
        permitted('createUser')
        if (state.primary !== 'here') throw new Error('not primary')
        state.users.push(`${name}.${user}`)
        made.push(`${name}.${user} ${JSON.stringify(roles)}`)
      },
    })
    const hello = () => ({
      setName: state.set ? 'rs0' : undefined,
      isWritablePrimary: state.primary === 'here',
      primary: state.primary ?? undefined,
    })
    const context = {
      db: { hello, getSiblingDB: database },
      rs: {
        initiate: ({ _id, members }: { _id: string; members: { host: string }[] }) => {
          permitted('replSetInitiate')
          state.set = true
          state.primary = 'here'
          made.push(`${_id}: ${members.map(({ host }) => host).join(' ')}`)
        },
      },
      sleep: () => undefined,
      require: () => ({ readFileSync: () => JSON.stringify({ admin: 'secret', watchkeeper: 'other' }) }),
    }
    runInContext(read('infra/compose/replica-set.js'), createContext(context))
    return made
  }
  const set = 'rs0: mongo-0.mongo:27017 mongo-1.mongo:27017 mongo-2.mongo:27017'
  const admin = 'admin.admin ["root"]'
  const store = 'watchkeeper.watchkeeper [{"role":"readWrite","db":"watchkeeper"}]'
  t.strictSame(member({ set: false, primary: null, users: [] }), [set, admin, store])
  t.strictSame(member({ set: true, primary: 'here', users: [] }), [admin, store])
  t.strictSame(member({ set: true, primary: 'here', users: ['admin.admin'] }), [store])
  t.strictSame(member({ set: true, primary: 'here', users: ['admin.admin', 'watchkeeper.watchkeeper'] }), [])
  t.strictSame(member({ set: true, primary: 'mongo-1', users: ['admin.admin', 'watchkeeper.watchkeeper'] }), [])
  t.throws(() => member({ set: true, primary: 'mongo-1', users: ['admin.admin'] }), /run this within the primary, mongo-1/)
  t.throws(() => member({ set: true, primary: null, users: [] }), /no primary/)
})
