// One of the processes of `npm run test:fast`. Takes the next file that no other lane has taken and runs it as a subtest, until none is left.
// Argument: a folder. Its `files.json` has the paths of the test files in the order in which lanes take them; a lane that takes a file
// marks the file in this folder.
//
// Each test file has its own instances of the modules in `test/`, and its own `tap`, whose hooks end with the file. The modules under test
// are shared by all files of the lane.
import { closeSync, openSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'

const folder = process.argv[2]
if (folder === undefined) throw new Error('Start the lanes by npm run test:fast.')
const root = join(import.meta.dirname, '..', '..')
const testsUrl = pathToFileURL(join(root, 'test/')).href
const files = JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8')) as string[]
/** Subtests by the number of their test file. The module `tap:<number>` exports the subtest of this number to its file. */
const subtests = new Map<string, Test>()
Object.assign(globalThis, { subtestsOfLane: subtests })

registerHooks({
  resolve(specifier, context, next) {
    const number = context.parentURL?.startsWith(testsUrl) ? new URL(context.parentURL).searchParams.get('file') : null
    if (number === null) return next(specifier, context)
    if (specifier === 'tap') return { url: `tap:${number}`, format: 'module', shortCircuit: true }
    const resolved = next(specifier, context)
    return resolved.url.startsWith(testsUrl) ? { ...resolved, url: `${resolved.url}?file=${number}` } : resolved
  },
  load(url, context, next) {
    if (!url.startsWith('tap:')) return next(url, context)
    const subtest = `globalThis.subtestsOfLane.get('${url.slice('tap:'.length)}')`
    const source = `const t = ${subtest}
export default t
export const test = t.test.bind(t)
export const before = t.before.bind(t)`
    return { format: 'module', source, shortCircuit: true }
  },
})

for (const [number, file] of files.entries()) {
  if (!take(number)) continue
  await t.test(file, async subtest => {
    subtests.set(String(number), subtest)
    await import(`${pathToFileURL(join(root, file)).href}?file=${number}`)
  })
}

/** Marks the file as taken; false: another lane has taken the file. Throws if the file cannot be marked. */
function take(number: number): boolean {
  try {
    closeSync(openSync(join(folder as string, String(number)), 'wx'))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}
