// The image of infra/Dockerfile, built without a container engine: the lines of the Dockerfile run on a folder that represents the image's
// root. RUN lines run in this folder. Only lines that install Debian packages are skipped, because this machine has the packages already.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

export interface Image {
  /** Folder that represents `/`. */
  root: string
  workdir: string
  user: { uid: number; gid: number }
  environment: Record<string, string>
  entrypoint: string[]
  command: string[]
  healthCheck: string[]
  volumes: string[]
  /** The version that FROM names. */
  node: string
  /** RUN lines that were skipped. */
  leftOut: string[]
}

export interface ImageSources {
  dockerfile: string
  dockerignore: string
}

interface Instruction {
  name: string
  text: string
}

interface Stage extends Image {
  name: string
}

const top = join(import.meta.dirname, '..', '..')

export const imageSources = (): ImageSources => ({
  dockerfile: readFileSync(join(top, 'infra', 'Dockerfile'), 'utf8'),
  dockerignore: readFileSync(join(top, '.dockerignore'), 'utf8'),
})

export interface LayOutOptions {
  /** An existing empty folder. */
  folder: string
  sources?: ImageSources
  /** True: skips RUN lines and uses the npm packages of this checkout. This takes one second instead of ten. */
  quick?: boolean
  /** Path of a nats-server, which replaces the download. */
  natsServer?: string
}

/** Throws if a COPY line names a file that the context lacks or .dockerignore excludes. */
export function layOutImage({ folder, sources = imageSources(), quick = false, natsServer }: LayOutOptions): Image {
  const stages: Stage[] = []
  const instructions = instructionsOf(sources.dockerfile)
  const last = instructions.findLast(({ name }) => name === 'FROM')
  for (const instruction of instructions) {
    const { name, text } = instruction
    if (name === 'FROM') {
      stages.push(beginStage(join(folder, String(stages.length)), text, instruction === last && !quick))
      continue
    }
    const stage = stages.at(-1)
    if (stage === undefined) throw new Error(`${name} before FROM`)
    if (name === 'COPY') copy(stage, stages, text, { dockerignore: sources.dockerignore, quick })
    else if (name === 'RUN') runLine(stage, text, { quick, natsServer })
    else readMetadata(stage, name, text)
  }
  const image = stages.at(-1)
  if (image === undefined) throw new Error('The Dockerfile has no FROM.')
  return image
}

/** Returns the path on this machine of a path in the image. */
export const inImage = (image: Pick<Image, 'root'>, path: string): string =>
  path.startsWith('/') ? join(image.root, path) : path

/** Returns the environment of a container without this process's variables: PATH has Node and the image's own folders. */
export function containerEnvironment(image: Image): Record<string, string> {
  const own = Object.entries(image.environment).map(([name, value]) => [name, inImage(image, value)])
  return { ...Object.fromEntries(own), PATH: join(image.root, 'usr/local/bin') }
}

/**
 * Returns program, arguments and options that spawn a command as in a container: as the image's user, in the image's folder, with only this
 * environment. Otherwise the test runner would add its own variables.
 */
export function inContainer(image: Image, environment: Record<string, string>, words: string[]) {
  const [name = '', ...args] = words.map(word => inImage(image, word))
  const command = name.includes('/') ? name : join(image.root, 'usr/local/bin', name)
  const settings = Object.entries(environment).map(([setting, value]) => `${setting}=${value}`)
  const options = { cwd: inImage(image, image.workdir), ...image.user }
  return { command: 'env', args: ['-i', ...settings, command, ...args], options }
}

function instructionsOf(dockerfile: string): Instruction[] {
  const lines = dockerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
  return lines
    .filter(line => line.trim() !== '')
    .map(line => {
      const [name = '', ...words] = line.split(' ')
      return { name, text: words.join(' ') }
    })
}

function beginStage(root: string, from: string, isRun: boolean): Stage {
  const [, node = '', , name = ''] = /^node:([\d.]+)-slim( AS (\w+))?$/.exec(from) ?? []
  if (node === '') throw new Error(`FROM ${from}: not an image of Node`)
  const bin = join(root, 'usr/local/bin')
  mkdirSync(bin, { recursive: true })
  for (const path of [dirname(root), root]) chmodSync(path, 0o755)
  // Copies Node, because the user of the image may have no access to the folder of this Node.
  if (isRun) cpSync(process.execPath, join(bin, 'node'), { dereference: true })
  else symlinkSync(process.execPath, join(bin, 'node'))
  const metadata = { environment: {}, entrypoint: [], command: [], healthCheck: [], volumes: [], leftOut: [] }
  return { root, name, node, workdir: '/', user: { uid: 0, gid: 0 }, ...metadata }
}

function readMetadata(stage: Stage, name: string, text: string): void {
  if (name === 'WORKDIR') {
    stage.workdir = text
    mkdirSync(inImage(stage, text), { recursive: true })
  } else if (name === 'USER') {
    const [uid, gid] = text.split(':').map(Number)
    stage.user = { uid: uid ?? Number.NaN, gid: gid ?? Number.NaN }
  } else if (name === 'ENV') {
    for (const pair of text.split(' ')) stage.environment[pair.split('=')[0] ?? ''] = pair.slice(pair.indexOf('=') + 1)
  } else if (name === 'VOLUME') stage.volumes.push(text)
  else if (name === 'ENTRYPOINT') stage.entrypoint = JSON.parse(text)
  else if (name === 'CMD') stage.command = JSON.parse(text)
  else if (name === 'HEALTHCHECK') stage.healthCheck = JSON.parse(text.slice(text.indexOf('CMD ') + 4))
  else if (name !== 'EXPOSE') throw new Error(`${name} is not known here`)
}

function copy(
  stage: Stage,
  stages: Stage[],
  text: string,
  { dockerignore, quick }: { dockerignore: string; quick: boolean },
): void {
  const words = text.split(' ')
  const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined
  const target = words.pop() ?? ''
  const source = stages.find(({ name }) => name === from)
  for (const path of words) {
    const to = inImage(stage, join(stage.workdir, target, words.length > 1 || target.endsWith('/') ? path : ''))
    mkdirSync(dirname(to), { recursive: true })
    const kept = { recursive: true, verbatimSymlinks: true }
    if (source !== undefined) {
      if (!quick || existsSync(inImage(source, path))) cpSync(inImage(source, path), to, kept)
    } else {
      if (!isSent(path, dockerignore)) throw new Error(`COPY ${path}: .dockerignore does not send it`)
      cpSync(join(top, path), to, { ...kept, filter: found => isSent(relative(top, found), dockerignore) })
    }
  }
}

/**
 * Returns whether the context contains the path. As in Docker, the last pattern that matches the path or one of its parent folders decides.
 */
function isSent(path: string, dockerignore: string): boolean {
  const folders = path.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'))
  const fits = (pattern: string) => {
    const wanted = new RegExp(`^${pattern.replace(/[.+?^$()[\]{}|]/g, '\\$&').replaceAll('*', '[^/]*')}$`)
    return folders.some(folder => wanted.test(folder))
  }
  const patterns = dockerignore.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  const last = patterns.findLast(pattern => fits(pattern.replace(/^!/, '')))
  return last === undefined || last.startsWith('!')
}

function runLine(stage: Stage, line: string, { quick, natsServer }: { quick: boolean; natsServer: string | undefined }): void {
  if (quick || line.startsWith('apt-get ')) {
    stage.leftOut.push(line)
    return
  }
  const tools = inImage(stage, join(stage.workdir, '.tools'))
  if (natsServer !== undefined && line.includes('.tools')) cpSync(natsServer, join(tools, 'nats-server'))
  const here = line.replaceAll(/(?<=^|\s)\/(?=(app|data|usr\/local\/bin)\b)/g, `${stage.root}/`)
  const path = `${join(stage.root, 'usr/local/bin')}:${process.env['PATH']}`
  const cwd = inImage(stage, stage.workdir)
  execFileSync('sh', ['-c', here], { cwd, env: { ...process.env, PATH: path }, stdio: ['ignore', 'ignore', 'pipe'] })
  if (natsServer !== undefined && line.includes('.tools')) statSync(join(tools, 'nats-server'))
}
