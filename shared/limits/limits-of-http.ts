// Bounds of the gateway's HTTP server: its connections, headers and bodies; part of `shared/limits/limits.ts`.
import { second } from '#shared/time/time-units.ts'

export const httpLimits = {
  /** Size of the largest request body, bytes. A larger body is refused with 2006 `Request too large`. */
  bodyBytes: 1024 * 1024,
  /** Largest nesting depth of JSON. Deeper JSON is a mistake, or an attack on code that walks it. */
  jsonDepth: 64,
  /** Largest number of bytes that are read and dropped of a body that is too large, so that its sender reads the error response. */
  discardBytes: 8 * 1024 * 1024,
  /** Time within which a response must be ready. The rest of `request.totalMs` is for its transport. */
  answerMs: 3_700,
  /** Time that a client has to send the headers of a request. `requestMs`: time to send the whole request. */
  headersMs: 10 * second,
  requestMs: 30 * second,
  /** Interval at which the server looks for clients that exceed `headersMs` or `requestMs`. */
  lateMs: 1 * second,
  /**
   * Time without traffic after which Node closes a connection with an unfinished response. Node checks only at this interval, so a
   * connection may close later.
   */
  stalledMs: 60 * second,
  /**
   * Time for which an idle connection stays open. It is a little longer than usual proxies keep a connection, so that the proxy closes it
   * first.
   */
  keepAliveMs: 75 * second,
  headerBytes: 16 * 1024,
  /** Largest number of concurrent connections of one gateway. */
  connections: 2_000,
  /**
   * Largest number of connections from one client address without a valid key or session. A browser opens six connections, and all
   * browsers of an office may have one address.
   */
  connectionsPerClient: 100,
  /**
   * Number of connections of one key, session, Observation address or network above which it gives way before strangers do, if the gateway
   * is full. A quarter of all: no installation has a client that needs more at once.
   */
  connectionsPerHolder: 500,
  /**
   * Largest number of bytes of request bodies that a gateway holds at once, unfinished or being worked on. This is room for 32 of the
   * largest bodies or for 10,000 usual reports. Parsed, they take two to three times as much, which stays within 100 MB.
   */
  bodiesBytes: 32 * 1024 * 1024,
  /** Time after which a new connection may count as idle. In this time, its first request may still arrive. */
  youngMs: 1 * second,
  /**
   * Additional connections that the server allows above `connections`, because it counts closed connections until the next turn of its
   * event loop.
   */
  connectionsClosing: 1_000,
  /**
   * Time that a stopping gateway has to finish its responses. The sum of this and `key.lastTouchMs` must be less than
   * `start.serviceStopMs`.
   */
  drainMs: 1 * second,
  /** Time for which reads use cached names of locations. Writes do not use the cache. */
  locationNamesMs: 5 * second,
} as const
