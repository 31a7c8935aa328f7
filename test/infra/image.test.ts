// The image, laid out as its Dockerfile and .dockerignore say without building it: what runs there finds everything that it imports.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import t from 'tap'
import { temporaryFolder } from './run-program.ts'

const root = join(import.meta.dirname, '..', '..')
const linesOf = (path: string) => readFileSync(join(root, path), 'utf8').split('\n')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
  imports: Record<string, string>
  dependencies: Record<string, string>
}
const entry = 'infra/cli/watchkeeper.js'

/** As Docker reads it: the last pattern that fits a path or a folder above it decides. */
function isSent(path: string): boolean {
  const folders = path.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'))
  const fits = (pattern: string) => {
    const wanted = new RegExp(`^${pattern.replace(/[.+?^$()[\]{}|]/g, '\\$&').replaceAll('*', '[^/]*')}$`)
    return folders.some(folder => wanted.test(folder))
  }
  const patterns = linesOf('.dockerignore').filter(line => line !== '' && !line.startsWith('#'))
  const last = patterns.findLast(pattern => fits(pattern.replace(/^!/, '')))
  return last === undefined || last.startsWith('!')
}

/** The folder WORKDIR of the image, but for the packages, which are linked. */
function layOut(folder: string): string {
  for (const [, words = ''] of linesOf('infra/Dockerfile').flatMap(line => [...line.matchAll(/^COPY (.*)$/g)])) {
    const sources = words.split(' ')
    const target = sources.pop() ?? ''
    for (const source of sources) {
      const to = join(folder, target, sources.length > 1 || target.endsWith('/') ? source : '')
      const filter = (from: string) => isSent(relative(root, from)) || holdsSent(relative(root, from))
      mkdirSync(dirname(to), { recursive: true })
      cpSync(join(root, source), to, { recursive: true, filter })
    }
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** A folder that is not sent itself may hold what is. */
const holdsSent = (path: string): boolean =>
  statSync(join(root, path)).isDirectory() && linesOf('.dockerignore').some(line => line.startsWith(`!${path}/`))

/** What a source names to be loaded when it runs: imports, also those at need, and files beside it, such as workers. */
function importsOf(source: string): string[] {
  const code = source.replace(/^(import|export) type\b[^;]*? from '[^']+'$/gm, '').replace(/^\s*(\/\/|\*).*$/gm, '')
  const ways = [/\bfrom '([^']+)'/g, /\bimport '([^']+)'/g, /\bimport\('([^']+)'\)/g, /new URL\('([^']+)', import\.meta\.url\)/g]
  return ways.flatMap(way => [...code.matchAll(way)].map(([, name = '']) => name))
}

/** Where a relative or a `#` import leads, from the top; null for a package and for what Node brings. */
function pathOf(name: string, importer: string): string | null {
  if (name.startsWith('.')) return join(dirname(importer), name)
  for (const [pattern, target] of Object.entries(manifest.imports)) {
    const prefix = pattern.slice(0, -1)
    if (name.startsWith(prefix)) return join(target.slice(0, -1), name.slice(prefix.length))
  }
  return null
}

t.test('whatever the program in the image can reach is in the image', async t => {
  const folder = layOut(temporaryFolder(t))
  const reached = new Set([entry])
  const missing: string[] = []
  for (const importer of reached) {
    for (const name of importsOf(readFileSync(join(folder, importer), 'utf8'))) {
      const path = pathOf(name, importer)
      if (path === null) {
        const [scope = '', part] = name.split('/')
        const known = name.startsWith('node:') || (scope.startsWith('@') ? `${scope}/${part}` : scope) in manifest.dependencies
        if (!known) missing.push(`${importer} imports the package ${name}`)
      } else if (existsSync(join(folder, path))) reached.add(path)
      else missing.push(`${importer} imports ${path}`)
    }
  }
  t.strictSame(missing, [])
  for (const path of ['infra/embedded/prober/worker.ts', 'shared/store/sqlite-worker.ts', 'services/gateway/openapi/document.ts'])
    t.ok(reached.has(path), `the walk comes to ${path}`)
  t.ok(reached.size > 200, `${reached.size} sources`)
  for (const path of ['test', 'docs', 'infra/gates', '.git']) t.notOk(existsSync(join(folder, path)), `without ${path}`)
})

t.test('the program of the image runs: its commands, and all services', async t => {
  const folder = layOut(temporaryFolder(t))
  const command = (...args: string[]) => spawnSync(process.execPath, [entry, ...args], { cwd: folder, encoding: 'utf8' })
  t.match(command('--version'), { status: 0, stdout: `${manifest.version}\n`, stderr: '' })
  t.match(command('machines'), { status: 0, stdout: /^%% \w+\nstateDiagram-v2/, stderr: '' })

  const own = { DATA_DIR: temporaryFolder(t), TOOLS_DIR: join(root, '.tools'), PORT: '0', OPS_PORT: '0', LOG_LEVEL: 'warn' }
  const child = spawn(process.execPath, [entry, 'start'], { cwd: folder, env: { PATH: process.env['PATH'], ...own } })
  t.teardown(() => child.kill('SIGKILL'))
  let said = ''
  const look = (chunk: Buffer) => {
    said += chunk
    // Once: a second signal ends it without grace.
    if (!child.killed && /listens on http/.test(said)) child.kill('SIGTERM')
  }
  child.stdout.on('data', look)
  child.stderr.on('data', look)
  const code = await new Promise(resolve => child.once('close', resolve))
  t.match(said, /listens on http/)
  t.equal(code, 0, said)
})
