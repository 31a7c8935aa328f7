// A proxy for the API. It forwards the given number of POST requests, and closes the connections of all later POST requests.
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** Starts the proxy and resolves with its URL. */
export async function startCuttingProxy(t: Test, url: string, posts: number): Promise<string> {
  let left = posts
  const server = createServer((incoming, response) => {
    if (incoming.method === 'POST' && left-- <= 0) return void incoming.socket.destroy()
    const { method, headers } = incoming
    const onward = request(new URL(incoming.url ?? '/', url), { method, headers }, answer => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
