// Browser for the session API. It keeps cookies by origin and follows their rules, sends the headers that a page cannot forge, and follows
// redirects step by step. Names can be mapped to servers on this machine.
import { type IncomingHttpHeaders, request } from 'node:http'
import { parseSetCookie, type SetCookie, stringifyCookie } from 'cookie'

export interface Shown {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** Parsed body; null: the response has no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  json: any
  setCookies: SetCookie[]
}

export interface SendOptions {
  body?: unknown
  /** Bytes sent unchanged instead of `body`. */
  raw?: string
  /** Chunks sent instead of `body`; the last chunk is sent when its promise resolves. */
  rest?: { first: string; last: Promise<string> }
  /** Headers that replace the browser's own; undefined omits a header. */
  headers?: Record<string, string | undefined>
}

type Body = string | SendOptions['rest']

export interface Browser {
  /** Sends a request as a page of the same origin does. */
  send(method: string, path: string, options?: SendOptions): Promise<Shown>
  /** Sends a request as a link or redirect of another site does. */
  visit(url: string): Promise<Shown>
  /** Visits and follows redirects until `until` returns true for a URL. Returns that URL without visiting it. */
  follow(url: string, until: (url: URL) => boolean): Promise<URL>
  cookies(origin?: string): Map<string, string>
  /** Returns another browser with the same cookies. */
  copy(): Browser
}

/** `home`: the origin of the pages; `servers`: real address (`http://127.0.0.1:port`) of each host. */
export function openBrowser(home: string, servers: Record<string, string>, given?: Map<string, Map<string, string>>): Browser {
  const jars = given ?? new Map<string, Map<string, string>>()
  const jarOf = (origin: string) => jars.get(origin) ?? jars.set(origin, new Map()).get(origin)!
  const go = async (method: string, url: URL, headers: Record<string, string | undefined>, body: Body) => {
    const jar = jarOf(url.origin)
    const cookie = jar.size === 0 ? undefined : stringifyCookie(Object.fromEntries(jar))
    const shown = await exchange(method, url, servers[url.host] ?? url.origin, { host: url.host, cookie, ...headers }, body)
    for (const { name, value = '', maxAge } of shown.setCookies) {
      if (maxAge === 0) jar.delete(name)
      else jar.set(name, value)
    }
    return shown
  }
  const browser: Browser = {
    send: (method, path, { body, raw, rest, headers = {} } = {}) => {
      const text = rest ?? raw ?? (body === undefined ? undefined : JSON.stringify(body))
      const changes = method !== 'GET' && method !== 'HEAD'
      const origin = changes ? home : undefined
      const type = changes && method !== 'DELETE' ? 'application/json' : undefined
      return go(method, new URL(path, home), { 'sec-fetch-site': 'same-origin', origin, 'content-type': type, ...headers }, text)
    },
    visit: url => go('GET', new URL(url), { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, undefined),
    follow: async (url, until) => {
      let at = new URL(url, home)
      for (let i = 0; i < 20 && !until(at); i++) {
        const { status, headers } = await browser.visit(at.href)
        if (headers.location === undefined) throw new Error(`${at.href} answers ${status} and leads nowhere`)
        at = new URL(headers.location, at)
      }
      return at
    },
    cookies: (origin = home) => jarOf(origin),
    copy: () => openBrowser(home, servers, new Map([...jars].map(([origin, jar]) => [origin, new Map(jar)]))),
  }
  return browser
}

function exchange(
  method: string,
  url: URL,
  server: string,
  headers: Record<string, string | undefined>,
  body: Body,
): Promise<Shown> {
  const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<string, string>
  const length = typeof body !== 'string' ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const to = new URL(`${url.pathname}${url.search}`, server)
    const outgoing = request(to, { method, headers: { ...length, ...sent }, agent: false }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const isJson = response.headers['content-type']?.startsWith('application/json') && text !== ''
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          json: isJson ? JSON.parse(text) : null,
          setCookies: (response.headers['set-cookie'] ?? []).map(line => parseSetCookie(line)),
        })
      })
    })
    outgoing.on('error', reject)
    if (typeof body === 'object') {
      outgoing.write(body.first)
      body.last.then(last => outgoing.end(last), reject)
    } else outgoing.end(body)
  })
}
