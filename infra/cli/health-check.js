// Health check of the image: exits with 0 if this container is ready, or if the given address responds with 200. The check runs every few
// seconds, so it loads no other file of the program.

// Avoids `import 'node:http'`, which would also load fetch (shared/net/node-http.ts).
const { get } = process.getBuiltinModule('node:http')
const url = process.argv[2] ?? `http://127.0.0.1:${process.env.OPS_PORT || 9090}/readyz`
const patienceMs = 4_000

const request = get(url, { timeout: patienceMs, headers: { accept: 'text/plain' } }, async response => {
  const said = (await response.setEncoding('utf8').toArray()).join('').trim()
  if (response.statusCode !== 200) end(`${response.statusCode} ${said}`)
})
request.on('timeout', () => request.destroy(new Error(`no answer within ${patienceMs} ms`)))
request.on('error', error => end(error.message))

/** Prints why the check failed. Docker stores the last output of a failed check. */
function end(why) {
  console.error(`${url}: ${why}`)
  process.exitCode = 1
}
