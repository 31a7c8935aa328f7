// Programs of earlier versions, from the history of this repository: their code, with the packages of their lock file.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

export interface Version {
  /** For titles and folders. */
  name: string
  commit: string
}

/** The last release. */
export const release: Version = { name: '2.0.0', commit: 'ab2ce6eac8bfe7151873ed8603b14048e40abe35' }
/** The version before the store got the number 4. */
export const versionBefore: Version = { name: 'before-number-4', commit: 'ea4bf899c6acf304a357fad22da8131192f426da' }

const root = join(import.meta.dirname, '../..')
const lockFile = 'package-lock.json'

const git = (...words: string[]) =>
  execFileSync('git', words, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 28 })

/** Returns why tests with this version are skipped; false: its code is in the history. */
export function skipWithout({ name, commit }: Version): string | false {
  try {
    git('cat-file', '-e', `${commit}^{commit}`)
    return false
  } catch {
    return `the repository here lacks the commit of version ${name}`
  }
}

/**
 * Writes the code of the version into a new folder inside `folder`, and returns its path. Uses the present packages if the lock file is the
 * same, or if `presentPackages`; otherwise npm installs those of the version.
 */
export function checkOut(folder: string, { name, commit }: Version, { presentPackages = false } = {}): string {
  const path = join(folder, name)
  mkdirSync(path)
  const code = git('archive', commit, 'services', 'shared', 'machines', 'infra', 'package.json', lockFile)
  execFileSync('tar', ['-x', '-C', path], { input: code })
  const isSame = readFileSync(join(path, lockFile)).equals(readFileSync(join(root, lockFile)))
  if (isSame || presentPackages) symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'))
  else execFileSync('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: path, stdio: 'ignore' })
  return path
}
