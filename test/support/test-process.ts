// Loaded first in each test process by tap (package.json, `node-arg`). Two parts save processor time, the third one watches
// what the services read from the store.
import { type AsyncHook, createHook } from 'node:async_hooks'
import { enableCompileCache, getCompileCacheDir } from 'node:module'
import { dirname, join } from 'node:path'
import { watchPlans } from './store/watch-plans.ts'

// Disables tap's tracking of promises, which takes half of the time of a test in virtual time: test/conformance/v1.test.ts takes 13.6 s
// with the tracking and 6.3 s without. An uncaught error then fails its file, but not its test.
const prototype = Object.getPrototypeOf(createHook({})) as AsyncHook
prototype.enable = function () {
  return this
}

// Keeps compiled modules between processes, in the folder of infra/cli/watchkeeper.js: test/gateway/v3/redaction.test.ts takes 1.8 s
// without this cache and 1.1 s with it. Programs that tests start find the folder in NODE_COMPILE_CACHE.
enableCompileCache(join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'compiled'))
const directory = getCompileCacheDir()
if (directory !== undefined) process.env['NODE_COMPILE_CACHE'] ??= dirname(directory)

// A query that no index serves fails the file of the test that caused it (watch-plans.ts).
watchPlans(({ faults, site, text }) => {
  throw new Error(`No index serves the query of ${site}: ${faults.join('; ')}\n${text}`)
})
